// The tables of the first schema, from which tests make the file of an older program.

public let firstSchema = """
  -- One row: the configuration that owns the store, when it was last noted which feeds are configured, and until when
  -- a run would find nothing due.
  CREATE TABLE owner (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    configuration TEXT,
    configured_noted INTEGER,
    changes INTEGER NOT NULL DEFAULT 0,
    quiet_note INTEGER,
    quiet_from INTEGER,
    quiet_until INTEGER,
    quiet_changes INTEGER
  ) STRICT;
  INSERT INTO owner (one) VALUES (1);

  CREATE TABLE feed (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    last_configured INTEGER NOT NULL,
    next_due INTEGER,
    outside_badge INTEGER NOT NULL DEFAULT 0,
    request_fingerprint INTEGER,
    configuration_fingerprint INTEGER,
    validator_address TEXT,
    entity_tag TEXT,
    last_modified TEXT,
    validators_since INTEGER,
    last_asked INTEGER,
    last_counted INTEGER,
    last_success INTEGER,
    last_result TEXT,
    last_reason TEXT,
    wish_not_before INTEGER,
    wish_source TEXT,
    hint_time_to_live INTEGER,
    hint_skip_hours INTEGER NOT NULL DEFAULT 0,
    hint_skip_days INTEGER NOT NULL DEFAULT 0,
    hint_update_interval INTEGER,
    limited_until INTEGER,
    limited_unnamed INTEGER,
    limited_status INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    backoff_class TEXT,
    backoff_failures INTEGER NOT NULL DEFAULT 0,
    gone_since INTEGER,
    is_gone INTEGER NOT NULL DEFAULT 0,
    failing_announced INTEGER NOT NULL DEFAULT 0,
    has_baseline INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    -- The person's pause, which no fetch changes.
    is_paused INTEGER NOT NULL DEFAULT 0,
    paused_until INTEGER,
    title TEXT,
    link TEXT,
    ignores_guids INTEGER NOT NULL DEFAULT 0,
    contrary_documents INTEGER NOT NULL DEFAULT 0,
    repeated_identity TEXT,
    document_items INTEGER,
    replaced_at INTEGER,
    is_rebuilt INTEGER NOT NULL DEFAULT 0,
    quiet_items INTEGER NOT NULL DEFAULT 0,
    notes_assets INTEGER NOT NULL DEFAULT 0,
    held_edit_due INTEGER
  ) STRICT;
  CREATE TRIGGER feed_changed AFTER UPDATE ON feed WHEN new.last_configured = old.last_configured
  BEGIN UPDATE owner SET changes = changes + 1; END;

  -- Targets of permanent redirects. Few feeds have any, so they are not columns of `feed`.
  CREATE TABLE move (
    feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    address TEXT NOT NULL,
    sightings INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    is_learned INTEGER NOT NULL,
    is_doubted INTEGER NOT NULL,
    PRIMARY KEY (feed, address)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE host (
    name TEXT PRIMARY KEY,
    last_request INTEGER,
    limited_until INTEGER,
    limited_by TEXT
  ) STRICT, WITHOUT ROWID;

  -- AUTOINCREMENT everywhere: a number is never used twice, so that "after number S" keeps its meaning.
  CREATE TABLE run (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    cause TEXT NOT NULL,
    -- Whether feeds were named on the command line, which ignores intervals.
    was_named INTEGER NOT NULL,
    was_forced INTEGER NOT NULL,
    process INTEGER NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER,
    was_cut INTEGER NOT NULL DEFAULT 0,
    due INTEGER,
    new_data INTEGER,
    no_data INTEGER,
    failed INTEGER,
    items INTEGER,
    left_over INTEGER,
    exit_status INTEGER,
    ending TEXT,
    -- Its transfer phase, which may last much longer.
    transfers INTEGER NOT NULL DEFAULT 0,
    resumed INTEGER NOT NULL DEFAULT 0,
    failed_transfers INTEGER NOT NULL DEFAULT 0,
    unsettled_transfers INTEGER NOT NULL DEFAULT 0,
    transfers_ended INTEGER
  ) STRICT;

  -- The feeds in flight.
  CREATE TABLE attempt (
    feed INTEGER PRIMARY KEY REFERENCES feed ON DELETE CASCADE,
    run INTEGER NOT NULL,
    started INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE fetch (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    run INTEGER,
    started INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    result TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    is_counted INTEGER NOT NULL,
    -- When the rules of that time allowed the next fetch.
    next_due INTEGER
  ) STRICT;
  CREATE INDEX fetch_by_feed ON fetch (feed);

  -- The requests of each fetch in order, redirects included. Times are in milliseconds.
  CREATE TABLE request (
    fetch INTEGER NOT NULL REFERENCES fetch ON DELETE CASCADE,
    hop INTEGER NOT NULL,
    started INTEGER NOT NULL,
    milliseconds INTEGER,
    address TEXT NOT NULL,
    sent_entity_tag INTEGER NOT NULL,
    sent_modification_date INTEGER NOT NULL,
    status INTEGER,
    failure TEXT,
    bytes INTEGER,
    PRIMARY KEY (fetch, hop)
  ) STRICT, WITHOUT ROWID;

  -- The WebSub hubs of feeds. Few feeds have any, so they are not columns of `feed`.
  CREATE TABLE hub (
    feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    place INTEGER NOT NULL,
    address TEXT NOT NULL,
    topic TEXT,
    PRIMARY KEY (feed, place)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE item (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    first_seen INTEGER NOT NULL,
    updated_at INTEGER,
    is_seen INTEGER NOT NULL,
    is_filtered INTEGER NOT NULL,
    guid_key INTEGER,
    link_key INTEGER,
    title_key INTEGER,
    content_key INTEGER NOT NULL,
    edit_hash INTEGER NOT NULL,
    held_edit INTEGER,
    published INTEGER,
    guid TEXT,
    link TEXT,
    title TEXT,
    author TEXT,
    summary TEXT
  ) STRICT;
  CREATE INDEX item_by_feed ON item (feed);
  CREATE INDEX item_unseen ON item (feed) WHERE is_seen = 0 AND is_filtered = 0;

  -- One row: the last `badge set`.
  CREATE TABLE badge (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at INTEGER,
    number INTEGER NOT NULL,
    unseen INTEGER NOT NULL,
    newest_item INTEGER NOT NULL
  ) STRICT;
  INSERT INTO badge (one, number, unseen, newest_item) VALUES (1, 0, 0, 0);

  CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    feed TEXT,
    time INTEGER NOT NULL,
    cause TEXT NOT NULL,
    run INTEGER,
    fields TEXT NOT NULL
  ) STRICT;

  -- The items of a notification. Forgotten items stay here: joins skip them.
  CREATE TABLE event_item (
    event INTEGER NOT NULL REFERENCES event ON DELETE CASCADE,
    item INTEGER NOT NULL,
    PRIMARY KEY (event, item)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE delivery (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    event INTEGER NOT NULL REFERENCES event ON DELETE CASCADE,
    hook TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    queued INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    -- The moment to which its feed's hours postpone or postponed it.
    held_until INTEGER,
    -- The end of its wait for the files of its items; NULL if it does not wait.
    ready_by INTEGER,
    -- When a delayed message is due; NULL means at once.
    trigger_at INTEGER,
    last_ended INTEGER,
    last_error TEXT,
    frozen_fields TEXT,
    UNIQUE (event, hook)
  ) STRICT;
  CREATE INDEX delivery_open ON delivery (hook) WHERE status = 'pending' OR status = 'running';
  CREATE INDEX delivery_lost ON delivery (hook) WHERE status = 'dead' OR status = 'expired';

  CREATE TABLE printed (
    hook TEXT NOT NULL,
    identifier TEXT NOT NULL,
    session TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (hook, identifier)
  ) STRICT, WITHOUT ROWID;

  -- The known assets of items of feeds that download, wanted or not: a known asset is not queued again by a fetch.
  -- Items are deleted only with their feed, so `item` needs no index.
  CREATE TABLE asset (
    feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    item INTEGER NOT NULL,
    asset_key INTEGER NOT NULL,
    place INTEGER NOT NULL,
    url TEXT NOT NULL,
    type TEXT,
    length INTEGER,
    -- NULL if it is the item's title.
    description TEXT,
    PRIMARY KEY (feed, item, asset_key)
  ) STRICT, WITHOUT ROWID;

  -- The transfers that one or more fetches of a feed queued, with counts of the settled ones by status.
  CREATE TABLE session (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    opened INTEGER NOT NULL,
    closed INTEGER,
    finished INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    cancelled INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX session_open ON session (feed) WHERE closed IS NULL;
  CREATE INDEX session_by_feed ON session (feed);

  -- Sessions are pruned before their transfers, so `session` is not a foreign key.
  CREATE TABLE transfer (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    session INTEGER NOT NULL,
    item INTEGER,
    asset_key INTEGER NOT NULL,
    place INTEGER NOT NULL,
    url TEXT NOT NULL,
    type TEXT,
    length INTEGER,
    is_feed_body INTEGER NOT NULL DEFAULT 0,
    description TEXT NOT NULL,
    queued INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'queued',
    -- When it settled; NULL while it is unsettled.
    settled INTEGER,
    -- Since when it is settled and has no file: pruning counts its age from here.
    bare_since INTEGER,
    is_held INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    not_before INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER,
    cuts INTEGER NOT NULL DEFAULT 0,
    -- The partial file.
    bytes INTEGER NOT NULL DEFAULT 0,
    total INTEGER,
    entity_tag TEXT,
    last_modified TEXT,
    date TEXT,
    accepts_ranges INTEGER,
    address TEXT,
    partial_sha256 TEXT,
    directory TEXT
  ) STRICT;
  CREATE INDEX transfer_by_feed ON transfer (feed, asset_key);
  CREATE INDEX transfer_by_item ON transfer (item) WHERE item IS NOT NULL;
  CREATE INDEX transfer_unsettled ON transfer (session) WHERE settled IS NULL;
  CREATE INDEX transfer_failed ON transfer (feed) WHERE status = 'failed';
  CREATE INDEX transfer_bare ON transfer (bare_since) WHERE bare_since IS NOT NULL;

  -- The final names of files that are being placed, so that the next process can finish after a crash.
  CREATE TABLE intent (
    transfer INTEGER PRIMARY KEY REFERENCES transfer ON DELETE CASCADE,
    directory TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    modified INTEGER,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    replaces INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE placed_file (
    transfer INTEGER PRIMARY KEY REFERENCES transfer ON DELETE CASCADE,
    feed INTEGER NOT NULL,
    directory TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The name in lower case.
    folded_name TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    placed INTEGER NOT NULL,
    removed INTEGER
  ) STRICT;
  CREATE INDEX placed_file_by_feed ON placed_file (feed) WHERE removed IS NULL;
  CREATE INDEX placed_file_by_name ON placed_file (folded_name, directory) WHERE removed IS NULL;

  -- The documents directories that were used before.
  CREATE TABLE directory (
    path TEXT PRIMARY KEY,
    first_used INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Pushes that wait for a fetch: of each feed, at most one with the same content-id.
  CREATE TABLE push (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    content_id TEXT,
    payload TEXT NOT NULL,
    received INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER
  ) STRICT;
  CREATE INDEX push_by_feed ON push (feed, content_id);

  -- The moments at which pushes caused fetches.
  CREATE TABLE push_fetch (
    feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX push_fetch_by_feed ON push_fetch (feed);
  CREATE INDEX push_fetch_by_time ON push_fetch (at);

  -- Openings by the minute of the day, of one feed, or of all feeds at once if `feed` is NULL.
  CREATE TABLE opening (
    feed INTEGER REFERENCES feed ON DELETE CASCADE,
    day_kind INTEGER NOT NULL,
    minute INTEGER NOT NULL,
    -- The decayed number of openings, as of the last one.
    weight REAL NOT NULL,
    last INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX opening_by_feed ON opening (feed, day_kind, minute);
  CREATE INDEX opening_by_time ON opening (last);

  -- The days with openings, counted from 1970-01-01; `feed` likewise.
  CREATE TABLE opening_day (
    feed INTEGER REFERENCES feed ON DELETE CASCADE,
    day INTEGER NOT NULL,
    last INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX opening_day_by_feed ON opening_day (feed, day);
  CREATE INDEX opening_day_by_time ON opening_day (last);
  """
