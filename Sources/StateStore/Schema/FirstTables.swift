// Step 1 of the schema: feeds, runs, fetches, items and deliveries. The tables of downloads and pushes are in a file beside
// this one. Only comments may change here.

extension Migrations {
  static let feedTables = """
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

    """

  static let itemTables = """
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

    """

  static let deliveryTables = """
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

    """
}
