// The places of downloaded files: directories, and the bucket that machines share.

import Core
import Fleet
import Machine
import Store

/// The places of downloaded files.
struct DocumentPlaces: Sendable {
  /// How many connections uploads have.
  static let connections = BucketDocuments.connections

  private let state: OpenedState
  /// Uploads to buckets.
  private let loop: CurlLoop
  /// The bucket of `documents`; nil if that is a directory.
  private let bucket: BucketDocuments?

  init(_ state: OpenedState, _ loop: CurlLoop) {
    (self.state, self.loop) = (state, loop)
    let secrets = SecretReader(environment: state.invocation.environment)
    bucket = state.settings.bucket.map { spec in
      BucketDocuments(
        spec, state.settings, userAgent: Bgfetch.userAgent, mark: state.store.mark, loop: loop
      ) { () throws(DocumentsProblem) in try await secrets.keys(of: spec) }
    }
  }

  /// The documents directory with a path, or the bucket with an address.
  func documents(_ place: String) -> any Documents {
    // The mark is on the store's partial files, because other stores may use the same directories.
    guard BucketSpec.isBucket(place) else { return DocumentsDirectory(place, mark: state.store.mark) }
    if let bucket, place == state.settings.documents { return bucket }
    // The keys are not for other buckets.
    return BucketDocuments(
      BucketSpec(address: place), state.settings, userAgent: Bgfetch.userAgent, mark: state.store.mark,
      loop: loop
    ) { () throws(DocumentsProblem) in
      throw .denied(path: place, detail: "documents is another place now")
    }
  }
}
