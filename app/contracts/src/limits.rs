//! Every limit of the board, in one place. Going over one is a refusal that names the limit and the size seen.

/// Largest HTTP or MCP body, bytes.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Longest task title, characters.
pub const TITLE_CHARS_MAX: usize = 200;
/// Longest milestone title, characters.
pub const MILESTONE_TITLE_CHARS_MAX: usize = 120;
/// Longest task spec, bytes.
pub const SPEC_BYTES_MAX: usize = 64 << 10;
/// Longest milestone goal, bytes.
pub const GOAL_BYTES_MAX: usize = 8 << 10;
/// Longest comment, message, note or reason, bytes.
pub const NOTE_BYTES_MAX: usize = 16 << 10;
/// Shortest note an agent may give where a note is required, characters that are not spaces.
pub const AGENT_NOTE_CHARS_MIN: usize = 10;
/// Labels on a task.
pub const LABELS_MAX: usize = 20;
/// Tasks one task may wait for.
pub const AFTER_MAX: usize = 100;
/// File patterns on a task.
pub const FILES_MAX: usize = 100;
/// Longest file pattern, characters.
pub const FILE_PATTERN_CHARS_MAX: usize = 300;
/// Acceptance criteria on a task or milestone.
pub const CRITERIA_MAX: usize = 40;
/// Longest text of one criterion or milestone rule, characters.
pub const CRITERION_CHARS_MAX: usize = 500;
/// Longest note on one criterion, characters.
pub const CRITERION_NOTE_CHARS_MAX: usize = 2_000;
/// Rules on a milestone.
pub const RULES_MAX: usize = 20;
/// Deepest nesting of subtasks.
pub const PARENT_DEPTH_MAX: usize = 5;
/// Task types a project may add to the ten built-in ones.
pub const TYPES_ADDED_MAX: usize = 20;
/// Longest label, task type or area, characters.
pub const SLUG_CHARS_MAX: usize = 40;
/// Longest name of an actor's part, characters.
pub const ACTOR_PART_CHARS_MAX: usize = 40;
/// A principal, bytes.
pub const PRINCIPAL_BYTES_MAX: usize = 400;
/// Digits of a commit or of a patch.
pub const SHA_CHARS_MAX: usize = 64;
/// A session's name, characters.
pub const SESSION_CHARS_MAX: usize = 200;
/// A path in a repository or of a worktree, characters.
pub const PATH_CHARS_MAX: usize = 1_024;
/// Actors in `mentions` or `to`.
pub const MENTIONS_MAX: usize = 20;
/// Choices offered with a question.
pub const CHOICES_MAX: usize = 6;
/// Event body kept inline, bytes of canonical JSON; a larger one becomes a blob.
pub const EVENT_BODY_INLINE_BYTES_MAX: usize = 16 << 10;
/// Largest blob, bytes.
pub const BLOB_BYTES_MAX: usize = 1 << 20;
/// Days after which a log file that the base has may be packed.
pub const PACK_DAYS: i64 = 30;
/// Largest pack of log files, bytes: hosts of git refuse very long files.
pub const PACK_BYTES_MAX: usize = 32 << 20;
/// Lines in quarantine that a page shows.
pub const QUARANTINE_SHOWN_MAX: usize = 50;
/// Longest part of a line in quarantine that a page shows, characters.
pub const QUARANTINE_TEXT_CHARS: usize = 200;
/// Longest line of a log file, bytes.
pub const LOG_LINE_BYTES_MAX: usize = 64 << 10;
/// Tasks in one `plan`.
pub const PLAN_TASKS_MAX: usize = 1_000;
/// Problems reported by one refused `plan`.
pub const PLAN_ERRORS_MAX: usize = 20;
/// Commands in one batch.
pub const COMMANDS_IN_BATCH_MAX: usize = 100;
/// Commands waiting for this process's writer.
pub const COMMANDS_QUEUED_MAX: usize = 256;
/// Commands committed in one transaction.
pub const COMMANDS_PER_TRANSACTION_MAX: usize = 64;
/// Rows of a list or activity page.
pub const PAGE_ROWS_MAX: usize = 200;
/// Events on a page of the activity.
pub const ACTIVITY_ROWS: u32 = 100;
/// Actors whose part of the activity is told.
pub const TALLIES_MAX: usize = 50;
/// Cards a column has on a page's first load.
pub const COLUMN_CARDS_FIRST: usize = 100;
/// Closed cards on a page's first load.
pub const DONE_CARDS_FIRST: usize = 20;
/// Search hits on a page.
pub const SEARCH_HITS_MAX: usize = 20;
/// Longest search or filter text, characters.
pub const QUERY_CHARS_MAX: usize = 200;
/// Longest filter, characters.
pub const FILTER_CHARS_MAX: usize = 2_000;
/// Comparisons in one filter.
pub const FILTER_LEAVES_MAX: usize = 64;
/// Deepest nesting of a filter.
pub const FILTER_DEPTH_MAX: usize = 8;
/// Values in one list of a filter.
pub const FILTER_VALUES_MAX: usize = 200;
/// Longest value in a filter, characters.
pub const FILTER_VALUE_CHARS_MAX: usize = 200;
/// Largest workflow file, bytes.
pub const WORKFLOW_BYTES_MAX: usize = 256 << 10;
/// Deepest nesting of steps.
pub const WORKFLOW_DEPTH_MAX: usize = 12;
/// Steps of one workflow.
pub const WORKFLOW_STEPS_MAX: usize = 200;
/// Lanes of one group.
pub const WORKFLOW_LANES_MAX: usize = 32;
/// Branches of one decision.
pub const WORKFLOW_BRANCHES_MAX: usize = 32;
/// Longest instructions of one step, bytes.
pub const STEP_INSTRUCTIONS_BYTES_MAX: usize = 16 << 10;
/// Longest question a gate asks a person, characters.
pub const GATE_PROMPT_CHARS_MAX: usize = 500;
/// Groups inside groups.
pub const GROUP_DEPTH_MAX: usize = 3;
/// Times one way back is gone, when the workflow does not say.
pub const WAY_BACK_DEFAULT: u32 = 5;
/// Times one way back may be gone.
pub const WAY_BACK_MAX: u32 = 50;
/// Passes of one loop.
pub const LOOP_PASSES_MAX: u32 = 1_000;
/// Looks at the board kept for a project.
pub const VIEWS_MAX: usize = 40;
/// Longest name of one, characters.
pub const VIEW_NAME_CHARS_MAX: usize = 40;
/// Longest address of one, characters.
pub const VIEW_QUERY_CHARS_MAX: usize = 8_000;
/// Inbox items in one answer.
pub const INBOX_ITEMS_MAX: usize = 10;
/// Changes of a zone's offset that a page knows: some years of summer times.
pub const ZONE_CHANGES_MAX: usize = 12;
/// Inbox items a page begins with: what is unread first, the newest of it.
pub const INBOX_SHOWN_MAX: usize = 50;
/// Thread entries in one view of a task.
pub const THREAD_ENTRIES_MAX: usize = 50;
/// Calendar days a report spans, but for the one of everything.
pub const REPORT_DAYS_MAX: i64 = 400;
/// Entries a section of a report shows where it is cut for a terminal or an agent.
pub const REPORT_ROWS_MAX: usize = 200;
/// Files of a commit that such a report shows.
pub const REPORT_FILES_MAX: usize = 4;
/// Longest dossier, bytes; the oldest entries of a longer one become one line each.
pub const DOSSIER_BYTES_MAX: usize = 2 << 20;
/// Largest file of a report, bytes.
pub const REPORT_FILE_BYTES_MAX: usize = 3 << 20;
/// Longest name of a report, characters.
pub const REPORT_LABEL_CHARS_MAX: usize = 80;
/// Longest part of a dossier that a model is given at once, characters.
pub const NARRATION_PART_CHARS_MAX: usize = 60_000;
/// Longest narration, bytes.
pub const NARRATION_BYTES_MAX: usize = 256 << 10;
/// Longest a narration takes, seconds.
pub const NARRATION_SECONDS_MAX: u64 = 900;
/// Longest a provider says nothing while it narrates, seconds.
pub const NARRATION_SILENCE_SECONDS_MAX: u64 = 120;
/// Steps a picture of dependencies goes either way.
pub const GRAPH_STEPS_MAX: u8 = 8;
/// Tasks in one picture of dependencies.
pub const GRAPH_NODES_MAX: usize = 60;
/// MCP answer by default, bytes.
pub const MCP_ANSWER_BYTES: usize = 4 << 10;
/// MCP page, and the most of a task's own spec that is handed out whole, bytes.
pub const MCP_PAGE_BYTES: usize = 16 << 10;
/// Longest idempotency key, characters.
pub const KEY_CHARS_MAX: usize = 80;
/// Days a receipt is kept for its key.
pub const RECEIPT_DAYS: i64 = 7;
/// Files listed in one commit event.
pub const COMMIT_FILES_MAX: usize = 300;
/// Parents of a commit that are kept: two make it a merge, which is all they are looked at for.
pub const COMMIT_PARENTS_MAX: usize = 16;
/// Trailers of one commit that bind it.
pub const COMMIT_TASKS_MAX: usize = 8;
/// Longest wait for a busy database or the writers' queue, milliseconds.
pub const BUSY_WAIT_MS: u64 = 5_000;
/// Live sockets of one process.
pub const LIVE_SOCKETS_MAX: usize = 2_000;
/// Batches queued for one live socket before it is told that it lagged.
pub const LIVE_BATCHES_QUEUED_MAX: usize = 64;
/// Furthest a resumed live client may be behind, events.
pub const LIVE_RESUME_EVENTS_MAX: i64 = 2_000;
/// Seconds between two heartbeats of a live socket.
pub const LIVE_BEAT_SECONDS: u64 = 15;
/// Connections one server serves at once.
pub const CONNECTIONS_MAX: usize = 2_048;
/// Seconds a client may take to send its request head.
pub const REQUEST_HEAD_SECONDS: u64 = 10;
/// Nesting of JSON that is accepted (serde_json's own limit is 128).
pub const JSON_DEPTH_MAX: usize = 64;

/// Shortest lease, seconds.
pub const LEASE_SECONDS_MIN: i64 = 60;
/// Longest lease, seconds.
pub const LEASE_SECONDS_MAX: i64 = 86_400;
/// Lease of an agent whose client's hooks renew for it, seconds.
pub const LEASE_SECONDS_AGENT: i64 = 900;
/// Lease of an agent without hooks, seconds.
pub const LEASE_SECONDS_AGENT_WITHOUT_HOOKS: i64 = 3_600;
/// Lease of a person, seconds.
pub const LEASE_SECONDS_DEV: i64 = 86_400;
/// Time after expiry in which only the holder may use a lease, seconds.
pub const GRACE_SECONDS: i64 = 120;
/// Expiry published in the log: at least this far ahead, seconds.
pub const PUBLISHED_SECONDS_MIN: i64 = 7_200;
/// Tasks an agent may hold at once.
pub const HELD_BY_AGENT_MAX: i64 = 1;
/// Tasks a person may hold at once.
pub const HELD_BY_DEV_MAX: i64 = 20;
/// Workers one `dispatch` starts.
pub const WORKERS_MAX: usize = 12;
/// Workers one `dispatch` starts when nobody says how many.
pub const WORKERS_DEFAULT: u32 = 3;
/// Hours after which the name of a worker that is gone is given again.
pub const WORKER_NAME_HOURS: i64 = 24;
/// Seconds an agent is silent before `recover` takes a task from it, when nobody says how many.
pub const SILENT_SECONDS: i64 = 60;
/// Seconds a task stays with the agent it is meant for although nobody heard of that one.
pub const ASSIGNED_SECONDS_MIN: i64 = 900;
/// How often it is noted that an actor was seen, seconds: silence is known no better than this.
pub const SEEN_SECONDS: i64 = 60;
/// Paths of a worker's leftovers that are listed.
pub const LEFTOVERS_MAX: usize = 50;
/// Longest name of a branch, characters.
pub const BRANCH_CHARS_MAX: usize = 200;
/// How far ahead of local time another clock is followed, milliseconds.
pub const CLOCK_AHEAD_MS_MAX: i64 = 300_000;
/// Candidates `next` reads.
pub const CANDIDATES_MAX: usize = 200;
/// Hours of inbox a database made anew still delivers.
pub const INBOX_REBUILT_HOURS: i64 = 24;
/// Days `inbox: all` lists.
pub const INBOX_ALL_DAYS: i64 = 7;

const _: () = assert!(COMMANDS_PER_TRANSACTION_MAX <= COMMANDS_QUEUED_MAX);
const _: () = assert!(EVENT_BODY_INLINE_BYTES_MAX < LOG_LINE_BYTES_MAX);
const _: () = assert!(DOSSIER_BYTES_MAX + NARRATION_BYTES_MAX < REPORT_FILE_BYTES_MAX);
const _: () = assert!(SPEC_BYTES_MAX < BLOB_BYTES_MAX && BLOB_BYTES_MAX <= BODY_BYTES_MAX);
