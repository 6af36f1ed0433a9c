// The tables about the machines that share a store. In a file they stay as they are.

extension Schema {
  /// The machines, with the fingerprints of their configurations, the seconds between two signs of life, when their last runs of a
  /// timer began, how many signs they have given, each a transaction that changes nothing else, the milliseconds by which their
  /// clocks are ahead, and the fetches of their runs; the fetches from each host; and
  /// one row about all machines: when their configuration was adopted, in milliseconds, and their pause.
  static let fleetTables = """
    CREATE TABLE machine (
      name TEXT NOT NULL, directory TEXT NOT NULL, version TEXT NOT NULL, sections TEXT NOT NULL,
      period INTEGER, begun INTEGER, last_sign INTEGER NOT NULL,
      signs INTEGER NOT NULL DEFAULT 1, clock_lead INTEGER NOT NULL,
      new_data INTEGER NOT NULL DEFAULT 0, no_data INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (name, directory)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE host_fetches (
      name TEXT PRIMARY KEY, new_data INTEGER NOT NULL, no_data INTEGER NOT NULL, failed INTEGER NOT NULL,
      last_fetch INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE fleet (adopted INTEGER NOT NULL, pause TEXT, pause_end INTEGER) STRICT;
    INSERT INTO fleet (adopted) VALUES (0);
    """
}
