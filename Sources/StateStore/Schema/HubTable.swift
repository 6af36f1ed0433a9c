// The table of hubs: a part of the first step of the schema.

extension Migrations {
  static let hubTable = """

    -- Where the publisher of a feed lets it be subscribed to. Few feeds have a hub, so it is no column of `feed`.
    CREATE TABLE hub (
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      place INTEGER NOT NULL,
      address TEXT NOT NULL,
      topic TEXT,
      PRIMARY KEY (feed, place)
    ) STRICT, WITHOUT ROWID;
    """
}
