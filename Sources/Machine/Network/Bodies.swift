// Receivers of a response body: memory, or nothing. In front of one, DecodedBody undoes the content coding (RFC 9110
// section 8.4), within limits and piece by piece.

internal import CLate
import Core

final class MemoryBody: BodyReceiver {
  private let limit: Int64
  private var isWanted = true
  private var bytes: [UInt8] = []

  init(limit: ByteCount) { self.limit = limit.bytes }

  func begin(_ head: Response) -> BodyVerdict {
    isWanted = (200..<300).contains(head.status)
    // Reserving the announced length saves copies; the bound protects memory from a lying server. Compressed documents
    // become about six times as long.
    let announced = head["Content-Length"].flatMap { Int($0) } ?? 0
    let growth = head["Content-Encoding"] == nil ? 1 : 6
    bytes.reserveCapacity(max(0, min(announced, (1 << 20) / growth) * growth))
    return .proceed
  }

  func receive(_ new: UnsafeRawBufferPointer) -> BodyVerdict {
    guard Int64(bytes.count) + Int64(new.count) <= limit else {
      // The beginning of an error's body says enough.
      return isWanted ? .failed(.tooLarge(ByteCount(limit))) : .enough
    }
    bytes.append(contentsOf: new)
    return .proceed
  }

  /// The whole body; empty if it went elsewhere.
  func release() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

/// Discards an unwanted body, as long as reading it is cheaper than a new connection.
final class DiscardedBody: BodyReceiver {
  private var left = 64 << 10

  func receive(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
    left -= bytes.count
    return left >= 0 ? .proceed : .enough
  }
}

// MARK: Content codings

/// The form of a body, found from its header and from its first bytes.
struct BodyForm: Equatable {
  /// The name of its coding, and how it is decoded; nil if it is not.
  fileprivate var name: String
  fileprivate var coding: bgfetch_coding?

  static let plain = BodyForm(name: "identity", coding: nil)
  static let gzip = BodyForm(name: "gzip", coding: BGFETCH_GZIP)
  /// The `deflate` of RFC 9110 section 8.4.1.2.
  static let zlib = BodyForm(name: "deflate", coding: BGFETCH_ZLIB)
  /// The `deflate` that many servers send, without a header.
  static let deflate = BodyForm(name: "deflate", coding: BGFETCH_DEFLATE)
  static let brotli = BodyForm(name: "br", coding: BGFETCH_BROTLI)

  /// The number of first bytes that always tell the form.
  static let bytesToTell = 2

  /// The codings to ask for.
  static let accepted: String = {
    var codings = bgfetch_can_decode(BGFETCH_GZIP) ? ["gzip", "deflate"] : []
    if bgfetch_can_decode(BGFETCH_BROTLI) { codings.append("br") }
    return codings.joined(separator: ", ")
  }()
}

extension BodyForm {
  /// The form of a body; nil if it takes more bytes to tell.
  ///
  /// About gzip the bytes count more than the header: some servers name it for a body that they do not encode, or say nothing
  /// about one that they do.
  ///
  /// - Parameters:
  ///   - start: the first bytes of the body.
  ///   - codings: the codings in the header, without unknown ones.
  ///   - isWhole: whether the body has no further bytes.
  /// - Throws: the failure if the body cannot be decoded.
  init?(_ start: [UInt8], codings: [String], isWhole: Bool) throws(FetchFailure) {
    guard codings.count < 2 else {
      throw .other("the server compressed the response more than once (\(codings.joined(separator: ", ")))")
    }
    guard start.count >= Self.bytesToTell || isWhole else { return nil }
    switch codings.first {
    case "br": self = .brotli
    case _ where start.starts(with: [0x1F, 0x8B]): self = .gzip
    case "deflate": self = isZlib(start) ? .zlib : .deflate
    case let coding? where coding != "gzip":
      throw .other("the server compressed the response (\(coding)) although the request did not allow it")
    default: self = .plain
    }
  }
}

/// Whether bytes begin with the header of RFC 1950 section 2.2.
private func isZlib(_ start: [UInt8]) -> Bool {
  start.count > 1 && start[0] & 0x8F == 8 && (Int(start[0]) << 8 + Int(start[1])) % 31 == 0
}

/// Passes a body on without its content coding, of which there is at most one.
final class DecodedBody: BodyReceiver {
  private enum Stage {
    /// The first bytes do not tell the form of the body yet.
    case undecided([UInt8])
    case plain
    case decoding
    /// The encoded data has ended, perhaps with the first byte of another member of a gzip file.
    case ended(hasMark: Bool)
    /// Everything else is ignored.
    case over
  }

  private let receiver: any BodyReceiver
  private let codings: [String]
  private var stage = Stage.undecided([])
  private var form = BodyForm.plain
  private var decoder: OpaquePointer?
  /// The encoded and the decoded bytes so far.
  private var (read, written): (Int64, Int64) = (0, 0)
  private let rest: any BodyReceiver = DiscardedBody()

  /// The bytes that may be read for nothing, or written out of nothing, before the two limits below hold.
  private static let allowance: Int64 = 1 << 20
  /// The most decoded bytes for each encoded one: deflate cannot make more than 1032, and brotli can make millions.
  private static let mostGrowth: Int64 = 1100
  /// The most encoded bytes for each decoded one.
  private static let mostShrinkage: Int64 = 2

  /// - Parameter codings: the codings in the header.
  init(_ receiver: any BodyReceiver, _ codings: [String]) {
    (self.receiver, self.codings) = (receiver, codings)
  }

  deinit { bgfetch_decoder_free(decoder) }

  func receive(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
    var left = bytes[...]
    var verdict = BodyVerdict.proceed
    // Not by recursion: a small piece may have thousands of gzip members.
    while verdict == .proceed, !left.isEmpty {
      switch stage {
      case .undecided(let first): verdict = decide(first, &left)
      case .decoding: verdict = decode(&left)
      case .ended(let hasMark): receiveAfterEnd(&left, hasMark: hasMark)
      case .plain, .over:
        let isOver = if case .over = stage { true } else { false }
        verdict = (isOver ? rest : receiver).receive(UnsafeRawBufferPointer(rebasing: left))
        left = left.dropFirst(left.count)
      }
    }
    return verdict
  }

  func end() -> BodyVerdict {
    var verdict = BodyVerdict.proceed
    if case .undecided(let first) = stage, !first.isEmpty {
      verdict = settle(first, isWhole: true)
      if verdict == .proceed { verdict = first.withUnsafeBytes { receive($0) } }
    }
    guard verdict == .proceed, case .decoding = stage else { return verdict }
    return .failed(.cut("the response was cut short: its \(form.name) data has no end"))
  }

  /// Finds the form of the body from its first bytes, as soon as there are enough of them.
  private func decide(
    _ first: [UInt8], _ left: inout Slice<UnsafeRawBufferPointer>
  ) -> BodyVerdict {
    let start = first + left.prefix(BodyForm.bytesToTell - first.count)
    let verdict = settle(start, isWhole: false)
    if case .undecided = stage {
      stage = .undecided(start)
      left = left.dropFirst(left.count)
    } else if verdict == .proceed, !first.isEmpty {
      return first.withUnsafeBytes { receive($0) }
    }
    return verdict
  }

  /// Leaves the stage `undecided` unless some first bytes tell the form of the body.
  private func settle(_ start: [UInt8], isWhole: Bool) -> BodyVerdict {
    do throws(FetchFailure) {
      guard let found = try BodyForm(start, codings: codings, isWhole: isWhole) else { return .proceed }
      form = found
    } catch {
      return .failed(error)
    }
    guard let coding = form.coding else {
      stage = .plain
      return .proceed
    }
    decoder = bgfetch_decoder_new(coding)
    stage = .decoding
    guard decoder == nil else { return .proceed }
    return .failed(.other("the response is compressed (\(form.name)), and its library cannot be used"))
  }

  private func decode(_ left: inout Slice<UnsafeRawBufferPointer>) -> BodyVerdict {
    guard let decoder else { return .proceed }
    while true {
      let step = bgfetch_decode(decoder, UnsafeRawBufferPointer(rebasing: left).baseAddress, left.count)
      left = left.dropFirst(step.read)
      read += Int64(step.read)
      written += Int64(step.count)
      guard written <= Self.allowance + Self.mostGrowth * read else {
        return .failed(.other("the response is refused: it is compressed more than a thousand times"))
      }
      if step.count > 0 {
        let verdict = receiver.receive(UnsafeRawBufferPointer(start: step.bytes, count: step.count))
        guard verdict == .proceed else { return verdict }
      }
      switch step.state {
      case BGFETCH_GOING: continue
      case BGFETCH_HUNGRY:
        guard read <= Self.allowance + Self.mostShrinkage * written else {
          return .failed(.other("the response is refused: its \(form.name) data decodes to almost nothing"))
        }
        return .proceed
      case BGFETCH_ENDED:
        stage = form == .gzip ? .ended(hasMark: false) : .over
        return .proceed
      default: return .failed(.other("the response is damaged: it cannot be decoded as \(form.name)"))
      }
    }
  }

  /// Takes a byte after the end of a gzip member: another member begins (RFC 1952 section 2.2), or what follows has no
  /// meaning.
  private func receiveAfterEnd(_ left: inout Slice<UnsafeRawBufferPointer>, hasMark: Bool) {
    switch (hasMark, left.first) {
    case (false, 0x1F):
      stage = .ended(hasMark: true)
      left = left.dropFirst()
    case (true, 0x8B):
      stage = .decoding
      bgfetch_decoder_restart(decoder)
      // The first byte of the mark, which may have come in an earlier piece.
      _ = bgfetch_decode(decoder, [0x1F] as [UInt8], 1)
    default: stage = .over
    }
  }
}
