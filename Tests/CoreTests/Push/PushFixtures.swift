// Shared by the tests of this folder: feeds that take pushes, payloads, and waiting pushes.

import Core
import Testing

/// A feed that takes pushes, with a file of their own if there is a template.
func pushed(
  _ text: String = "planet", url: String? = nil, description: String? = nil, limit: PushLimit = PushLimit(),
  change: (inout FeedSpec) -> Void = { _ in }
) throws -> FeedSpec {
  var spec = try feed(text)
  var push = PushSpec()
  push.url = try url.map { try Template(parsing: $0) }
  push.description = try description.map { try Template(parsing: $0) }
  push.limit = limit
  spec.push = push
  change(&spec)
  return spec
}

/// A payload with values, which asks for a fetch.
func payload(_ values: [(String, String)] = [], change: (inout PushPayload) -> Void = { _ in }) -> PushPayload
{
  var payload = PushPayload(text: "{}")
  payload.isContentAvailable = true
  payload.values = values.map { PushValue(name: $0.0, text: $0.1) }
  change(&payload)
  return payload
}

/// A waiting push, taken the given time ago.
///
/// One with a moment has been tried once.
func waiting(
  _ number: Int64 = 1, feed: String = "planet", _ ago: Interval = .zero, late: Instant? = nil
) throws -> StoredPush {
  StoredPush(
    number: number, feed: try name(feed), payload: PushPayload(text: "{}"), received: now - ago,
    tries: late == nil ? 0 : 1, notBefore: late)
}
