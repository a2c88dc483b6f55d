-- The board: log tables, projections of them, live rows. `project` is empty text in a repository's own file.

-- Log tables.
create table event (
    project text not null,
    seq integer primary key,
    id blob not null,
    writer text not null,
    n integer not null,
    prev blob not null,
    at text not null,
    actor text not null,
    principal text not null,
    kind text not null,
    subject text not null,
    body text not null,
    command integer not null,
    source text not null,
    no_effect integer not null default 0
) strict;
create unique index event_id on event (project, id);
create index event_writer on event (project, writer, n);
create index event_subject on event (project, subject, at, writer, n, id);
create index event_at on event (project, at);

-- Everybody who has acted here.
create table actor (
    project text not null,
    actor text not null,
    primary key (project, actor)
) strict, without rowid;

create table project_head (
    project text primary key,
    epoch text not null,
    seq integer not null,
    writer text,
    n integer not null,
    prev blob not null,
    hlc text,
    made_at text not null,
    index_seen text not null default ''
) strict, without rowid;

create table writer (
    project text not null,
    writer text not null,
    path text not null,
    device integer not null,
    inode integer not null,
    sealed integer not null default 0,
    primary key (project, writer)
) strict, without rowid;

create table log_file (
    project text not null,
    name text not null,
    size integer not null,
    mtime integer not null,
    read integer not null,
    primary key (project, name)
) strict, without rowid;

create table blob (
    project text not null,
    sha256 text not null,
    size integer not null,
    piece integer not null,
    bytes blob,
    primary key (project, sha256, piece)
) strict, without rowid;

create table parked (
    project text not null,
    id blob not null,
    waits_for text not null,
    primary key (project, id)
) strict, without rowid;
create index parked_for on parked (project, waits_for);

-- Projections.
create table project_state (
    project text primary key,
    state text not null
) strict, without rowid;

create table task (
    project text not null,
    id text not null,
    title text not null,
    words text not null,
    rest text not null,
    status text not null,
    priority integer not null,
    due_key text not null,
    created_at text not null,
    type text not null,
    assignee text,
    parent text,
    milestone text,
    closed_at text,
    conflicts integer not null,
    waits_open integer not null,
    waits_first text,
    waits_cancelled integer not null,
    blocks integer not null,
    children_open integer not null,
    children integer not null,
    edges_inert integer not null,
    state text not null,
    spec text not null,
    primary key (project, id)
) strict;
create index task_next on task (project, rest, priority, due_key, created_at, id) where status = 'open';
create index task_assignee on task (project, assignee, rest) where assignee is not null;
create index task_parent on task (project, parent) where parent is not null;
create index task_milestone on task (project, milestone, status) where milestone is not null;
create index task_closed on task (project, closed_at, id) where closed_at is not null;
create index task_blocks on task (project, blocks) where blocks > 0 and status = 'open';
create index task_conflicts on task (project, id) where conflicts > 0;

create table task_label (
    project text not null,
    task text not null,
    label text not null,
    primary key (project, task, label)
) strict, without rowid;
create index task_label_label on task_label (project, label, task);

-- Blockers, questions and conflicts that are open, and the task each stands in.
create table open_item (
    project text not null,
    kind text not null,
    id text not null,
    task text not null,
    primary key (project, kind, id, task)
) strict, without rowid;
create index open_item_task on open_item (project, task);

create table commit_bound (
    project text not null,
    task text not null,
    sha text not null,
    primary key (project, task, sha)
) strict, without rowid;
create index commit_bound_sha on commit_bound (project, sha);

create table edge_change (
    project text not null,
    owner text not null,
    at text not null,
    writer text not null,
    n integer not null,
    id blob not null,
    i integer not null,
    add_it integer not null,
    task text not null,
    waits_on text not null,
    via text not null,
    by_actor text not null,
    primary key (project, at, writer, n, id, i)
) strict, without rowid;
create index edge_change_owner on edge_change (project, owner);

create table edge (
    project text not null,
    task text not null,
    waits_on text not null,
    via text not null,
    by_actor text not null,
    inert integer not null,
    event blob not null,
    primary key (project, task, waits_on, via)
) strict, without rowid;
create index edge_on on edge (project, waits_on, task);

create table milestone (
    project text not null,
    id text not null,
    title_folded text not null,
    status text not null,
    created_at text not null,
    state text not null,
    primary key (project, id)
) strict, without rowid;
create index milestone_title on milestone (project, title_folded);

create table tally (
    project text not null,
    rest text not null,
    n integer not null,
    primary key (project, rest)
) strict, without rowid;

-- `live` rows are written when something happens here and are not folded again.
create table inbox (
    project text not null,
    actor text not null,
    event blob not null,
    at text not null,
    why text not null,
    live integer not null default 0,
    primary key (project, actor, event)
) strict, without rowid;
create index inbox_at on inbox (project, actor, at);
create index inbox_event on inbox (project, event);

create virtual table search using fts5 (
    subject unindexed, event unindexed, id, title, spec, thread, commits,
    prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2'
);

-- Live rows.
create table lease (
    project text not null,
    task text not null,
    actor text not null,
    principal text not null,
    fence integer not null,
    session text,
    branch text,
    worktree text,
    claimed_at integer not null,
    renewed_at integer not null,
    expires_at integer not null,
    ttl_s integer not null,
    published_until integer not null,
    claim_event blob not null,
    authority text not null,
    primary key (project, task)
) strict, without rowid;
create index lease_actor on lease (project, actor);
create index lease_expires on lease (project, expires_at);

create table presence (
    project text not null,
    actor text not null,
    session text not null,
    surface text not null,
    client text not null,
    seen_at integer not null,
    primary key (project, actor)
) strict, without rowid;

create table delivery (
    project text not null,
    actor text not null,
    event blob not null,
    at integer not null,
    surface text not null,
    primary key (project, actor, event)
) strict, without rowid;
create index delivery_event on delivery (project, event);

create table receipt (
    project text not null,
    actor text not null,
    key text not null,
    digest blob not null,
    receipt text not null,
    at integer not null,
    primary key (project, actor, key)
) strict, without rowid;
create index receipt_at on receipt (project, at);

create table session (
    id_hash blob primary key,
    data text not null,
    until integer not null
) strict, without rowid;

create table live_change (
    project text not null,
    n integer primary key autoincrement,
    k text not null,
    ref text not null,
    at integer not null
) strict;

-- What the planner believes. Without numbers it takes `project` for a choice, though a file holds one project, and walks whole tables.
-- Nobody runs `analyze` later: these are the proportions of a board, not of one board.
analyze sqlite_schema;
insert into sqlite_stat1 (tbl, idx, stat) values
    ('event', 'event_id', '100000 100000 1'),
    ('event', 'event_writer', '100000 100000 10000 1'),
    ('event', 'event_subject', '100000 100000 10 1 1 1 1'),
    ('event', 'event_at', '100000 100000 1'),
    ('parked', 'parked', '10 10 1'),
    ('parked', 'parked_for', '10 10 2'),
    ('task', 'sqlite_autoindex_task_1', '10000 10000 1'),
    ('task', 'task_next', '2000 2000 300 100 50 1 1'),
    ('task', 'task_assignee', '1000 1000 100 20'),
    ('task', 'task_parent', '1000 1000 5'),
    ('task', 'task_milestone', '5000 5000 200 100'),
    ('task', 'task_closed', '8000 8000 1 1'),
    ('task', 'task_blocks', '1000 1000 100'),
    ('task', 'task_conflicts', '10 10 1'),
    ('task_label', 'task_label', '10000 10000 2 1'),
    ('task_label', 'task_label_label', '10000 10000 500 1'),
    ('open_item', 'open_item', '100 100 30 1 1'),
    ('open_item', 'open_item_task', '100 100 1'),
    ('commit_bound', 'commit_bound', '10000 10000 2 1'),
    ('commit_bound', 'commit_bound_sha', '10000 10000 1'),
    ('edge_change', 'edge_change', '10000 10000 1 1 1 1 1'),
    ('edge_change', 'edge_change_owner', '10000 10000 2'),
    ('edge', 'edge', '10000 10000 2 1 1'),
    ('edge', 'edge_on', '10000 10000 2 1'),
    ('milestone', 'milestone', '20 20 1'),
    ('milestone', 'milestone_title', '20 20 1'),
    ('inbox', 'inbox', '10000 10000 500 1'),
    ('inbox', 'inbox_at', '10000 10000 500 1'),
    ('inbox', 'inbox_event', '10000 10000 1'),
    ('lease', 'lease', '50 50 1'),
    ('lease', 'lease_actor', '50 50 1'),
    ('lease', 'lease_expires', '50 50 1'),
    ('delivery', 'delivery', '10000 10000 500 1'),
    ('delivery', 'delivery_event', '10000 10000 1'),
    ('receipt', 'receipt', '1000 1000 100 1'),
    ('receipt', 'receipt_at', '1000 1000 1');
analyze sqlite_schema;
