// The tables, as numbered steps from nothing to today. A step that was released is never changed again.

import Core

/// The steps a file goes through; `user_version` holds how many of them it has behind it.
enum Migrations {
  static let steps = [
    // 1: the beginning.
    beginning + transferTables + hubTable + pushTables,
    // 2: what tells the files of this store from those of others.
    """
    ALTER TABLE owner ADD COLUMN mark TEXT;
    UPDATE owner SET mark = lower(hex(randomblob(4)));
    """,
    // 3: the requests of downloads, but for those that are a fetch. Transfers are forgotten before they are.
    """
    CREATE TABLE download_request (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      transfer INTEGER NOT NULL,
      hop INTEGER NOT NULL,
      -- The last fetch that had ended by then: its place among the other requests.
      fetch_before INTEGER NOT NULL,
      started INTEGER NOT NULL,
      milliseconds INTEGER,
      address TEXT NOT NULL,
      sent_entity_tag INTEGER NOT NULL,
      sent_modification_date INTEGER NOT NULL,
      status INTEGER,
      failure TEXT,
      bytes INTEGER
    ) STRICT;
    CREATE INDEX download_request_by_feed ON download_request (feed);
    """,
    // 4: names without regard to case have ẞ as ss, as they had ß before. No other letter gave a ß.
    """
    UPDATE placed_file SET folded_name = replace(folded_name, 'ß', 'ss') WHERE folded_name LIKE '%ß%';
    """,
    // 5: how many processes in a row died while a transfer ran.
    "ALTER TABLE transfer ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;",
    // 6: where feeds in the private network are, and which assets their documents named there, or a push named.
    """
    ALTER TABLE feed ADD COLUMN inner_address TEXT;
    ALTER TABLE asset ADD COLUMN inner_address TEXT;
    ALTER TABLE asset ADD COLUMN is_pushed INTEGER NOT NULL DEFAULT 0;
    """,
    // 7: items in half the space.
    smallItems,
  ]

  private static let beginning = """
    -- One row: whose directory this is, when the feeds last were noted as configured, and until when a run with
    -- nothing else changed would find nothing due.
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
      -- The person's pause, which no fetch writes: whether there is one, and its end if it has one.
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

    -- Where redirects for good lead. Few feeds have any, so they are not columns of `feed`.
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

    -- AUTOINCREMENT throughout: numbers are never used twice, so that "after number S" keeps its meaning.
    CREATE TABLE run (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      cause TEXT NOT NULL,
      -- Whether feeds were named, and whether with force: such a run owes nothing to intervals.
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
      -- The moment from which on the rules allowed the next one, as they were then.
      next_due INTEGER
    ) STRICT;
    CREATE INDEX fetch_by_feed ON fetch (feed);

    -- The requests of each fetch, redirects in their order. Times are in milliseconds.
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

    -- The items a notification speaks of. An item that is gone needs no looking up here: it is not joined.
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
      -- Until when its feed's hours hold or held it back.
      held_until INTEGER,
      -- Until when it waits at most for the files of its items; nothing where it does not.
      ready_by INTEGER,
      -- When a delayed message is due; nothing is at once.
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

extension Database {
  /// How many steps the file has behind it; 0 is a file that was just made.
  func schemaVersion() throws(StoreFailure) -> Int {
    try value("PRAGMA user_version") ?? 0
  }

  /// Takes the file through the steps it lacks, each in one transaction; a new file takes all of them in one, so that a
  /// killed process never leaves a new file that looks like an older program's.
  func migrate(_ steps: [String]) throws(StoreFailure) {
    var version = try schemaVersion()
    while version < steps.count {
      version = try transaction { () throws(StoreFailure) -> Int in
        // Another process may have been here since.
        let current = try schemaVersion()
        guard current < steps.count else { return current }
        let next = current == 0 ? steps.count : current + 1
        for step in steps[current..<next] { try execute(step) }
        try execute("PRAGMA user_version = \(next)")
        return next
      }
    }
  }
}
