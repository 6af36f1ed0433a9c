// Whether a transfer can go on where it stopped, and why or why not.

import Core

/// Whether a transfer can go on where it stopped, and why or why not; nil where nothing is there of it, or all is.
func resumeText(_ transfer: Transfer) -> (canResume: Bool, why: String)? {
  // Which address it will be asked at, only redirects tell; what is shown is true where it is the one of before.
  guard transfer.file == nil, transfer.partial.bytes > 0, let anywhere = WebAddress("https://asset.example/")
  else { return nil }
  var partial = transfer.partial
  partial.address = anywhere.text
  switch resumePlan(partial, asking: anywhere) {
  case .fresh(let reason): return (false, reason ?? "")
  case .resume(_, let validator):
    let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
    return (true, "by \(name) \(cleanText(validator, limit: 200))")
  }
}
