// Whether a transfer can go on where it stopped, and why or why not.

import Model

/// Whether a transfer can go on where it stopped, and why or why not; nil where nothing is there of it, or all is.
func resumeText(_ transfer: Transfer) -> (canResume: Bool, why: String)? {
  guard transfer.file == nil, transfer.partial.bytes > 0 else { return nil }
  // Until Planning has resumePlan(_:asking:).
  if let tag = transfer.partial.entityTag, !tag.hasPrefix("W/") { return (true, "by ETag \(tag)") }
  return (false, "the server gave no strong validator")
}
