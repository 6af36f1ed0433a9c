// The history on PostgreSQL by day: fetches, requests, events and deliveries are tables with a partition for each day, so that old
// rows are dropped and not deleted.
//
// The number of a row has the day, by the server's clock, above its lower 36 bits. So it is the key of the partitions as well, one
// row is looked for in one partition, and an event and its deliveries, which one transaction adds, are of the same day. A row
// whose day has no partition, also one that was copied from a file, is in the default partition, and is deleted like rows of a file.
// No foreign key leads to or from these tables, because PostgreSQL would search the other table before it drops a partition.

import Core
import Store

extension PostgresSchema {
  /// The tables with partitions, and their columns with the number.
  static let dailyTables = [
    ("fetch", "number"), ("request", "fetch"), ("event", "number"), ("delivery", "number"),
  ]
  /// The bits of a number below its day.
  static let bitsBelowDay: Int64 = 36

  /// Gives the tables partitions; the table that was made first becomes the default partition, and the model of the others.
  static func makePartitioned(in database: borrowing Database) throws {
    for (table, key) in dailyTables {
      let (name, rest) = ("\"\(table)\"", "\(table)_rest")
      let foreign: [(String, String)] = try database.rows(
        "SELECT conrelid::regclass::text, conname::text FROM pg_constraint WHERE contype = 'f' "
          + "AND '\(name)'::regclass IN (conrelid, confrelid)")
      for (owner, constraint) in foreign {
        try database.execute("ALTER TABLE \(owner) DROP CONSTRAINT \(constraint)")
      }
      try database.execute(
        """
        ALTER TABLE \(name) RENAME TO \(rest);
        CREATE TABLE \(name) (LIKE \(rest) INCLUDING DEFAULTS) PARTITION BY RANGE ("\(key)");
        ALTER TABLE \(name) ATTACH PARTITION \(rest) DEFAULT
        """)
      guard key == "number" else { continue }
      try database.execute(
        """
        CREATE SEQUENCE \(table)_number_seq MAXVALUE \((1 << bitsBelowDay) - 1) CYCLE OWNED BY \(name).number;
        ALTER TABLE \(name) ALTER number SET DEFAULT nextval('\(table)_number_seq')
          + (floor(extract(epoch FROM now()))::bigint / 86400 << \(bitsBelowDay))
        """)
    }
    try database.execute(keepDays)
  }

  /// Makes the partitions of a table for a day and the two after it, and drops those of days before another one.
  ///
  /// A partition of events or deliveries stays while a hook has not had all of them, and until the day `needed` if some are lost. It
  /// runs with the rights of the owner of the tables, and gives up rather than make others wait for it.
  private static let keepDays = """
    CREATE FUNCTION keep_days(parent text, today bigint, kept bigint, needed bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = bgfetch, pg_temp SET lock_timeout = '200ms' AS $$
    DECLARE
      day bigint;
      part text;
      is_needed boolean;
    BEGIN
      FOR ahead IN 0 .. 2 LOOP
        day := today + ahead;
        part := parent || to_char(to_timestamp(day * 86400) AT TIME ZONE 'UTC', '_YYYYMMDD');
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        BEGIN
          EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL) WITH (fillfactor = %s)', part, parent || '_rest',
            CASE parent WHEN 'delivery' THEN 75 ELSE 100 END);
          EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', parent, part,
            day << \(bitsBelowDay), day + 1 << \(bitsBelowDay));
        -- Rows of that day came before its partition.
        EXCEPTION WHEN check_violation THEN NULL;
        END;
      END LOOP;
      FOR part, day IN
        SELECT relname, extract(epoch FROM to_date(right(relname, 8), 'YYYYMMDD')) / 86400
        FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = format('%I', parent)::regclass AND relname !~ '_rest$' ORDER BY relname
      LOOP
        EXIT WHEN day >= least(kept, today);
        IF parent IN ('event', 'delivery') THEN
          EXECUTE format('SELECT EXISTS (SELECT 1 FROM delivery WHERE %1$s AND (status = ''pending'' OR status = ''running''))
            OR $1 AND EXISTS (SELECT 1 FROM delivery WHERE %1$s AND (status = ''dead'' OR status = ''expired''))',
            format('number >= %s AND number < %s', day << \(bitsBelowDay), day + 1 << \(bitsBelowDay)))
            INTO is_needed USING day >= needed;
          CONTINUE WHEN is_needed;
        END IF;
        EXECUTE format('DROP TABLE %I', part);
        IF parent = 'event' THEN
          DELETE FROM event_item WHERE event >= day << \(bitsBelowDay) AND event < day + 1 << \(bitsBelowDay);
        END IF;
      END LOOP;
    END $$;
    -- Rows that change at each fetch, and tables whose rows come and go.
    ALTER TABLE feed SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.1);
    ALTER TABLE host SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
    ALTER TABLE run SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
    ALTER TABLE owner SET (fillfactor = 10, autovacuum_vacuum_threshold = 500);
    ALTER TABLE claim SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
    ALTER TABLE attempt SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
    """

  /// Makes and drops partitions of all tables by day; a table that is in use for long waits for the next time.
  ///
  /// - Parameter today: the day that counts as today; nil for the one by the server's clock.
  static func keepDays(
    in database: borrowing Database, today: Int64? = nil, history: Int64 = 0, events: Int64 = 0,
    needed: Int64 = 0
  ) throws {
    for (table, _) in dailyTables {
      let isOfEvents = ["event", "delivery"].contains(table)
      do {
        try database.run(
          "SELECT keep_days(?1, coalesce(?2, floor(extract(epoch FROM now()))::bigint / 86400), ?3, ?4)",
          table,
          today, isOfEvents ? events : history, needed)
      } catch {
        guard case StoreFailure.busy = error else { throw error }
      }
    }
  }

  /// Deletes rows whose fetch, event or feed is gone, which foreign keys do in a file: in the default partitions, or everywhere.
  static func deleteOrphans(in database: borrowing Database, everywhere: Bool = false) throws {
    let suffix = everywhere ? "" : "_rest"
    for (table, column, parent) in [
      ("fetch\(suffix)", "feed", "feed"), ("request\(suffix)", "fetch", "fetch"),
      ("delivery\(suffix)", "event", "event"), ("event_item", "event", "event"),
    ] {
      try database.run(
        "DELETE FROM \(table) WHERE NOT EXISTS (SELECT 1 FROM \(parent) WHERE number = \(table).\(column))")
    }
  }
}

extension Membership {
  func dropDays(history: Instant, events: Instant, needed: Instant) throws {
    try PostgresSchema.keepDays(in: database, history: history.day, events: events.day, needed: needed.day)
  }

  func rest(of table: String) -> String {
    PostgresSchema.dailyTables.contains { $0.0 == table } ? table + "_rest" : table
  }

  func deleteOrphans() throws { try PostgresSchema.deleteOrphans(in: database) }
}

extension Instant {
  /// The number of its day, by UTC.
  fileprivate var day: Int64 { secondsSince1970 / 86_400 }
}
