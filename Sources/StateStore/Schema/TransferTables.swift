// The tables of transfers: a part of the first step of the schema.

extension Migrations {
  static let transferTables = """

    -- The assets of items that are known, wanted or not: what is known is never queued again by itself. Only for feeds
    -- that download. Items go only with their feed, so the item needs no index of its own.
    CREATE TABLE asset (
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      item INTEGER NOT NULL,
      asset_key INTEGER NOT NULL,
      place INTEGER NOT NULL,
      url TEXT NOT NULL,
      type TEXT,
      length INTEGER,
      -- Nothing where it is the item's title.
      description TEXT,
      PRIMARY KEY (feed, item, asset_key)
    ) STRICT, WITHOUT ROWID;

    -- The unsettled transfers of a feed, and how those that settled since it was opened ended.
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

    -- Sessions are forgotten before their transfers are, so they are no foreign key.
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
      -- When it settled; nothing while it is unsettled.
      settled INTEGER,
      -- Since when it is settled and has no file any more: what growing old counts from.
      bare_since INTEGER,
      is_held INTEGER NOT NULL DEFAULT 0,
      reason TEXT,
      not_before INTEGER,
      failures INTEGER NOT NULL DEFAULT 0,
      failing_since INTEGER,
      cuts INTEGER NOT NULL DEFAULT 0,
      -- What is there of it.
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

    -- The final names that are being given, so that a crash between can be settled.
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
      -- The name without regard to case.
      folded_name TEXT NOT NULL,
      size INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      placed INTEGER NOT NULL,
      removed INTEGER
    ) STRICT;
    CREATE INDEX placed_file_by_feed ON placed_file (feed) WHERE removed IS NULL;
    CREATE INDEX placed_file_by_name ON placed_file (folded_name, directory) WHERE removed IS NULL;

    -- The documents directories that were used.
    CREATE TABLE directory (
      path TEXT PRIMARY KEY,
      first_used INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
