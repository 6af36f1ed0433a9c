// A feed that is a file of this machine: its content takes the place of an answer, its state that of an entity tag.

import Core

extension FeedRun {
  /// Reads a feed's file, if it changed since it was read last.
  ///
  /// There is no answer in the trace afterwards: nothing of what servers may wish applies to a file.
  func reading(of file: FileAddress, _ trace: inout FetchTrace) async -> Exchange {
    let feed = trace.feed
    let fingerprint = feed.fingerprint(of: file)
    trace.state = stateUnderConfiguration(
      trace.state, configuration: feed.fingerprint, request: fingerprint)
    let validators = validatorsToSend(
      trace.state, fingerprint: fingerprint, feed: feed.name, machine: effects.machine.identity,
      at: origin.time)
    trace.validatorKey = file.text
    switch await effects.files.read(file.path, feed.network.maxFeedSize, validators.entityTag) {
    case .failure(let failure): return .failed(failure)
    case .success(.unchanged): return .notModified(Response(status: 304, fields: [], body: []))
    case .success(.content(let bytes, let tag)):
      return .document(
        Response(status: 200, fields: tag.map { [HeaderField("ETag", $0)] } ?? [], body: bytes))
    }
  }
}
