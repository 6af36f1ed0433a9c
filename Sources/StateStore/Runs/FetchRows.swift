// Fetches and their requests as rows, written within the transaction of what they changed.

import Model
import Timing

extension Store {
  /// Adds the one record of a fetch, and one of each of its requests.
  func add(
    _ record: FetchRecord, feed: Int64, run: Int64?, nextDue: Instant?
  ) throws(StoreFailure) {
    try database.run(
      """
      INSERT INTO fetch (feed, run, started, ended, result, reason, count, is_counted, next_due)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """, feed, run, record.started, record.ended, record.result, record.reason, record.count,
      record.isCounted, nextDue)
    let fetch = database.lastInserted
    for (hop, request) in record.requests.enumerated() {
      try database.run(
        """
        INSERT INTO request (fetch, hop, started, milliseconds, address, sent_entity_tag, sent_modification_date,
          status, failure, bytes)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """, fetch, hop, request.started, request.milliseconds, request.address, request.sentEntityTag,
        request.sentModificationDate, request.status, request.failure, request.bytes)
    }
  }
}
