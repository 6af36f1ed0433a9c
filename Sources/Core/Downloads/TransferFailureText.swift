// Words for why an attempt at a download brought no whole file.

/// A failure in words: lower case, what is wrong and, where there is one, the cure.
public func text(of failure: TransferFailure) -> String {
  switch failure {
  case .fetch(let failure): text(ofDownload: failure)
  case .documents(let problem): text(of: problem)
  case .noWebAddress: "the document gives no http or https address for the file"
  case .page(let what): "the server sent \(what) instead of the file"
  case .empty: "the file is empty"
  case .short(let received, let total):
    "only \(received) of \(total) bytes came"
  case .overlong(let total): "more than the \(total) bytes came that the server promised"
  case .wrongRange(let what): "the server sent \(what)"
  case .changed(let how): "the file has changed on the server: \(how)"
  case .tooLarge(let limit, let size):
    "the file is " + (size.map { "\($0.text), " } ?? "") + "larger than \(limit.text); see download.max-size"
  case .encoded(let coding): "the server compressed the file (\(coding)) though it was asked not to"
  }
}

/// A failure in words without the host that was asked, where that is a secret.
public func text(of failure: TransferFailure, hiding host: String) -> String {
  guard case .fetch(let fetch) = failure else { return text(of: failure) }
  if case .status = fetch { return text(of: failure) }
  return fetch.text(hiding: host)
}

private func text(ofDownload failure: FetchFailure) -> String {
  switch failure {
  case .status(let status): "the server answered \(status)" + meaning(of: status)
  case .tooLarge(let limit): text(of: .tooLarge(limit: limit, size: nil))
  case .challenged(let who): "\(who) wants to see a browser; download the file with one"
  case .truncated: "the file ends in the middle"
  default: failure.text
  }
}

private func meaning(of status: Int) -> String {
  switch status {
  case 401: "; it wants credentials, see auth"
  case 403: "; it refuses to give the file"
  case 404: "; the file is not there"
  case 407: "; the proxy wants credentials"
  case 410: "; the file is gone for good"
  case 451: "; the law forbids it to give the file"
  case 511: "; the network wants a log-in with a browser"
  default: ""
  }
}

/// Whether a failure is the one that a transfer was left for before, by its reason; how much room is free does not count.
public func isSame(_ failure: TransferFailure, as reason: String?) -> Bool {
  guard let reason else { return false }
  if case .documents(.belowFreeSpace(let path, _, _)) = failure { return reason.hasPrefix(room(of: path)) }
  return reason == text(of: failure)
}

private func room(of path: String) -> String { "the file system of \(path) has " }

/// What helps where a documents directory, or its `.bgfetch`, was there and is gone.
///
/// - Parameter path: the one that is gone.
/// - Returns: words to follow the finding.
public func curesOfGone(_ path: String) -> String {
  let parts = path.hasSuffix("/.bgfetch") ? path : path + "/.bgfetch"
  return "mount it, or where it is to begin anew, mkdir -p \(parts)"
}

private func text(of problem: DocumentsProblem) -> String {
  switch problem {
  case .gone(let path): "the directory \(path) is gone; \(curesOfGone(path))"
  case .full(let path): "the file system of \(path) is full"
  case .belowFreeSpace(let path, let free, let floor):
    room(of: path) + "\(free.text) left, less than \(floor.text); see free-space"
  case .denied(let path, let detail): "cannot write to \(path): \(detail)"
  case .unsafe(let path, let owner?):
    "\(path) belongs to user \(owner), who could change it; chown it to yourself, or use another path"
  case .unsafe(let path, nil): "every user may write \(path); chmod go-w it, or use another path"
  case .inTheWay(let path): "\(path) is in the way: a symbolic link, or no directory"
  case .linkOnTheWay(let path):
    "\(path) is a symbolic link, and none is followed; put a directory there, or set download.name"
  case .directoryTaken(let path, _): "\(path) is no directory; move it away, or set download.name"
  case .nameRefused(let path, let detail):
    "the file system does not take the name \(path): \(detail); set download.name"
  case .partialLost(let path): "the partial file \(path) is not as it was left"
  case .fileTooLarge(let path): "the file is too large for the file system of \(path)"
  case .other(let path, let detail): "\(path): \(detail)"
  }
}
