// The tables of downloads, pushes and openings.

import Core

extension Schema {
  static let downloadTables = """
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
      -- The private address of the document or push that named it.
      inner_address TEXT,
      is_pushed INTEGER NOT NULL DEFAULT 0,
      -- The rule by which the fetch that found it did not queue it; NULL if it did, or no rule speaks of it.
      omitted_by TEXT,
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
      description TEXT NOT NULL,
      queued INTEGER NOT NULL,
      status TEXT NOT NULL DEFAULT 'queued',
      -- When it settled; NULL while it is unsettled.
      settled INTEGER,
      -- Since when it is settled and has no file: pruning counts its age from here.
      bare_since INTEGER,
      is_suspended_by_user INTEGER NOT NULL DEFAULT 0,
      -- Whether the person asked for the file, so that `keep` ignores it.
      is_asked_for INTEGER NOT NULL DEFAULT 0,
      reason TEXT,
      not_before INTEGER,
      -- The process that works on it, whatever its status, if several machines share the store (Membership.swift).
      held_by INTEGER,
      failures INTEGER NOT NULL DEFAULT 0,
      failing_since INTEGER,
      cuts INTEGER NOT NULL DEFAULT 0,
      -- The partial file.
      \(PartialDownload.columns.definitions),
      directory TEXT,
      -- The number of processes in a row that died while it ran.
      crashes INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX transfer_by_feed ON transfer (feed, asset_key);
    CREATE INDEX transfer_by_item ON transfer (item) WHERE item IS NOT NULL;
    CREATE INDEX transfer_unsettled ON transfer (session) WHERE settled IS NULL;
    CREATE INDEX transfer_failed ON transfer (feed) WHERE status = 'failed';
    CREATE INDEX transfer_held ON transfer (held_by) WHERE held_by IS NOT NULL;
    CREATE INDEX transfer_bare ON transfer (bare_since) WHERE bare_since IS NOT NULL;

    -- The requests of downloads, except those that are a fetch. Transfers are pruned earlier, so "transfer" is not a foreign
    -- key.
    CREATE TABLE download_request (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      transfer INTEGER NOT NULL,
      hop INTEGER NOT NULL,
      -- The last fetch that had ended before: the position among the requests of fetches.
      fetch_before INTEGER NOT NULL,
      \(RequestRecord.columns.definitions)
    ) STRICT;
    CREATE INDEX download_request_by_feed ON download_request (feed);

    -- The final names of files that are being placed, so that the next process can finish after a crash.
    CREATE TABLE intent (
      transfer INTEGER PRIMARY KEY REFERENCES transfer ON DELETE CASCADE,
      \(PlacementIntent.columns.definitions)
    ) STRICT;

    CREATE TABLE placed_file (
      transfer INTEGER PRIMARY KEY REFERENCES transfer ON DELETE CASCADE,
      feed INTEGER NOT NULL,
      -- The name in lower case, with "ss" for ß.
      folded_name TEXT NOT NULL,
      \(PlacedFile.columns.definitions)
    ) STRICT;
    CREATE INDEX placed_file_by_feed ON placed_file (feed) WHERE removed IS NULL;
    CREATE INDEX placed_file_by_name ON placed_file (folded_name, directory) WHERE removed IS NULL;

    -- The documents directories that were used before.
    CREATE TABLE directory (
      path TEXT PRIMARY KEY,
      first_used INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  static let pushTables = """
    -- Pushes that wait for a fetch: of each feed, at most one with the same content-id.
    CREATE TABLE push (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      content_id TEXT,
      -- Its fields are JSON: an object of the values beside "aps".
      \(PushPayload.columns.definitions),
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
}
