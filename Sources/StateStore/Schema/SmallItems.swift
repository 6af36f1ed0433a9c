// The tables of items in half the space: a step of the schema.

extension Migrations {
  /// Makes the table of items anew, so that what is left out leaves whole pages free.
  ///
  /// Summaries, most of the text, go to a table of their own, and their pages are free when they are deleted. Items that are
  /// seen lose theirs, but for those that a hook of downloads may still be told of and those that have no title. Filtered items,
  /// which nobody sees, lose all texts.
  static let smallItems = """
    ALTER TABLE item RENAME TO large_item;

    CREATE TABLE item (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      first_seen INTEGER NOT NULL,
      updated_at INTEGER,
      is_seen INTEGER NOT NULL,
      is_filtered INTEGER NOT NULL,
      -- Whether only what recognises it is left.
      is_pruned INTEGER NOT NULL DEFAULT 0,
      guid_key INTEGER,
      link_key INTEGER,
      title_key INTEGER,
      content_key INTEGER NOT NULL,
      edit_hash INTEGER NOT NULL,
      held_edit INTEGER,
      published INTEGER,
      -- Nothing where there is a guid_key and the guid is the link.
      guid TEXT,
      link TEXT,
      title TEXT,
      author TEXT
    ) STRICT;

    INSERT INTO item
    SELECT number, feed, first_seen, updated_at, is_seen, is_filtered, 0, guid_key, link_key, title_key, content_key,
      edit_hash, held_edit, published, iif(is_filtered, NULL, iif(guid_key IS NULL, guid, nullif(guid, link))),
      iif(is_filtered, NULL, link), iif(is_filtered, NULL, title), iif(is_filtered, NULL, author)
    FROM large_item ORDER BY number;

    CREATE TABLE summary (
      item INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE,
      text TEXT NOT NULL
    ) STRICT;

    INSERT INTO summary
    SELECT number, summary FROM large_item
    WHERE summary IS NOT NULL AND NOT is_filtered AND (NOT is_seen OR coalesce(title, '') = ''
      OR feed IN (SELECT number FROM feed WHERE notes_assets))
    ORDER BY number;

    -- No number is used twice, though the last item may be gone.
    DELETE FROM sqlite_sequence WHERE name = 'item';
    UPDATE sqlite_sequence SET name = 'item' WHERE name = 'large_item';
    DROP TABLE large_item;
    CREATE INDEX item_by_feed ON item (feed);
    CREATE INDEX item_unseen ON item (feed) WHERE is_seen = 0 AND is_filtered = 0;
    """
}
