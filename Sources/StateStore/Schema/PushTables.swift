// The tables of pushes and openings: a part of the first step of the schema.

extension Migrations {
  static let pushTables = """

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

    -- When pushes caused fetches.
    CREATE TABLE push_fetch (
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX push_fetch_by_feed ON push_fetch (feed);
    CREATE INDEX push_fetch_by_time ON push_fetch (at);

    -- Openings by the minute of the day, of one feed or, where there is none, of all feeds at once.
    CREATE TABLE opening (
      feed INTEGER REFERENCES feed ON DELETE CASCADE,
      day_kind INTEGER NOT NULL,
      minute INTEGER NOT NULL,
      -- How many they were worth when there was one last.
      weight REAL NOT NULL,
      last INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX opening_by_feed ON opening (feed, day_kind, minute);
    CREATE INDEX opening_by_time ON opening (last);

    -- The days with openings, counted from 1970-01-01, likewise.
    CREATE TABLE opening_day (
      feed INTEGER REFERENCES feed ON DELETE CASCADE,
      day INTEGER NOT NULL,
      last INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX opening_day_by_feed ON opening_day (feed, day);
    CREATE INDEX opening_day_by_time ON opening_day (last);
    """
}
