// Downloads as a run's transfers see them.

import Core
import Transfer

extension LiveWorld {
  /// Sends one request whose body goes to a receiver, which is not called any more once this has returned.
  var download: @Sendable (Request, any BodyReceiver) async -> Result<Response, FetchFailure> {
    let downloads = downloads
    return { request, receiver in
      do throws(FetchFailure) {
        return .success(try await downloads.download(request, into: receiver))
      } catch {
        return .failure(error)
      }
    }
  }
}
