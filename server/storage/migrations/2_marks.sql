-- What hooks remember: who a session acts as, which commit was seen coming, what was said already. Live rows.
create table mark (
    project text not null,
    kind text not null,
    key text not null,
    value text not null,
    at integer not null,
    primary key (project, kind, key)
) strict, without rowid;
create index mark_at on mark (project, at);
