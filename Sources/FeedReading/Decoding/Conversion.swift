// All other encodings, through the C library's iconv(3).

import Core
import Glibc

/// The bytes converted to UTF-8; nil if the C library does not know the encoding or the bytes are not in it.
///
/// A few bytes that mean nothing there become U+FFFD; more than that, and the label was wrong.
func converted(_ bytes: [UInt8], from encoding: String, shouldStop: @escaping ShouldStop) -> [UInt8]? {
  guard let handle = iconv_open("UTF-8", encoding), handle != UnsafeMutableRawPointer(bitPattern: -1) else {
    return nil
  }
  defer { iconv_close(handle) }
  let allowedFaults = 8 + bytes.count / 256
  var faults = 0
  var output: [UInt8] = []
  output.reserveCapacity(bytes.count + bytes.count / 2)
  let isInEncoding = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { chunk in
    bytes.withUnsafeBytes { raw in
      // iconv's signature wants a mutable pointer; it only reads.
      var input = UnsafeMutableRawPointer(mutating: raw.baseAddress)?.assumingMemoryBound(to: CChar.self)
      var inputLeft = raw.count
      var isFlushing = false
      while true {
        var place = chunk.baseAddress
        var room = chunk.count
        // Without input it gives what it holds back, waiting for a combining character.
        let result =
          isFlushing
          ? iconv(handle, nil, nil, &place, &room) : iconv(handle, &input, &inputLeft, &place, &room)
        let problem = result == -1 ? errno : 0
        output.append(contentsOf: UnsafeRawBufferPointer(chunk).prefix(chunk.count - room))
        switch problem {
        case E2BIG:
          if shouldStop() { return false }
        case EILSEQ where !isFlushing:
          faults += 1
          guard faults <= allowedFaults else { return false }
          output.append(contentsOf: [0xEF, 0xBF, 0xBD])
          input = input?.advanced(by: 1)
          inputLeft -= 1
        case _ where isFlushing:
          return true
        default:
          // All is read, but for the beginning of a character that was cut off.
          isFlushing = true
        }
      }
    }
  }
  return isInEncoding && isValidUTF8(output) ? output : nil
}
