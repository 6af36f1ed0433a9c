// The body that an exchange sends: a part of a file, read while libcurl sends it.

internal import CLate
import Core

extension Exchange {
  /// Makes libcurl read the body of a PUT from its part.
  func setUpload(_ part: UploadPart, _ network: NetworkSettings) throws(FetchFailure) {
    upload = (part, 0)
    let code = bgfetch_curl_upload(
      easy,
      { start, size, count, context in
        guard let start, let context else { return Int(CURL_READFUNC_ABORT) }
        return Exchange.of(context: context).read(
          into: UnsafeMutableRawBufferPointer(start: start, count: size * count))
      },
      { context, offset, _ in
        guard let context else { return CURL_SEEKFUNC_FAIL }
        // libcurl only rewinds: the origin is the beginning.
        Exchange.of(context: context).upload?.offset = Int64(offset)
        return CURL_SEEKFUNC_OK
      }, Unmanaged.passUnretained(self).toOpaque(), curl_off_t(part.size))
    try check(code, "UPLOAD")
    // The time limit of a request is for what bgfetch waits for; a body that it sends may take longer.
    try setStall(network.stall)
  }

  /// The next bytes of the body, for libcurl: their number, or the code that ends the transfer.
  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let (part, offset) = upload else { return Int(CURL_READFUNC_ABORT) }
    let rest = Int(min(Int64(buffer.count), part.size - offset))
    guard rest > 0 else { return 0 }
    let count = part.read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<rest]), offset)
    guard count > 0 else {
      refusal = .other("the file to upload cannot be read")
      return Int(CURL_READFUNC_ABORT)
    }
    upload?.offset += Int64(count)
    return count
  }
}
