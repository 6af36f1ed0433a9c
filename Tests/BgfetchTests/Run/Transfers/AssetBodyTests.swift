// The bytes of a response that are written to the partial file.

import Core
import Synchronization
import Testing

@testable import bgfetch

/// A partial file in memory.
private final class MemoryFile: PartialFile {
  private let bytes: Mutex<[UInt8]>
  private let room: Int

  init(_ bytes: [UInt8], room: Int = .max) {
    self.bytes = Mutex(bytes)
    self.room = room
  }

  var content: [UInt8] { bytes.withLock { $0 } }
  var size: Int64 { Int64(content.count) }
  var identity: FileIdentity { FileIdentity(device: 1, inode: 1) }

  func reserve(_ bytes: Int64) {}

  func append(_ more: UnsafeRawBufferPointer) throws(DocumentsProblem) {
    guard content.count + more.count <= room else { throw .full(path: "/documents") }
    bytes.withLock { $0.append(contentsOf: more) }
  }

  func restart() throws(DocumentsProblem) { bytes.withLock { $0 = [] } }

  func synchronize() async throws(DocumentsProblem) -> DigestedBytes {
    DigestedBytes(bytes: size, sha256: "")
  }

  func sha256() async throws(DocumentsProblem) -> String? { "" }
}

/// One response and its expected effect.
struct BodyCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var status: Int
  var fields: [HeaderField] = []
  /// The number of bytes that were there, all ones.
  var kept = 0
  /// The body in pieces, all twos.
  var pieces: [[UInt8]]
  var maxSize: Int64?
  var room = Int.max
  /// The expected content of the file.
  var file: [UInt8]
  /// The expected failure; nil if the file is complete.
  var failure: TransferFailure?
  /// Whether the failure is known before the response ends.
  var isRefusedEarly = false
}

private func ones(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }
private func twos(_ count: Int) -> [UInt8] { [UInt8](repeating: 2, count: count) }
private func length(_ count: Int) -> HeaderField { HeaderField("Content-Length", "\(count)") }
private func range(_ text: String) -> HeaderField { HeaderField("Content-Range", "bytes " + text) }

@Suite struct AssetBodyTests {
  private static let total = 1000
  private static let page = Array("<!DOCTYPE html><html><title>Log in</title></html>".utf8)

  static let cases: [BodyCase] = [
    BodyCase(
      testDescription: "a whole file", status: 200, fields: [length(1000)], pieces: [twos(400), twos(600)],
      file: twos(1000)),
    BodyCase(
      testDescription: "a whole file in the place of a part", status: 200, fields: [length(1000)], kept: 300,
      pieces: [twos(1000)], file: twos(1000)),
    BodyCase(
      testDescription: "the rest", status: 206, fields: [range("300-999/1000")], kept: 300,
      pieces: [twos(100), twos(600)], file: ones(300) + twos(700)),
    BodyCase(
      testDescription: "the last byte as a proof", status: 206, fields: [range("999-999/1000")], kept: 1000,
      pieces: [twos(1)], file: ones(1000)),
    BodyCase(
      testDescription: "a rest that begins elsewhere", status: 206, fields: [range("301-999/1000")],
      kept: 300,
      pieces: [], file: ones(300), failure: .wrongRange("a part that begins at 301 instead of 300"),
      isRefusedEarly: true),
    BodyCase(
      testDescription: "a rest that goes on for too long", status: 206, fields: [range("300-999/1000")],
      kept: 300, pieces: [twos(600), twos(200)], file: ones(300) + twos(600),
      failure: .overlong(total: 1000), isRefusedEarly: true),
    BodyCase(
      testDescription: "a rest that is cut", status: 206, fields: [range("300-999/1000")], kept: 300,
      pieces: [twos(100)], file: ones(300) + twos(100), failure: .short(received: 400, total: 1000)),
    BodyCase(
      testDescription: "more than max-size without a length", status: 200, pieces: [twos(400), twos(400)],
      maxSize: 500, file: twos(400), failure: .tooLarge(limit: ByteCount(500), size: nil),
      isRefusedEarly: true),
    BodyCase(
      testDescription: "no room", status: 200, fields: [length(1000)], pieces: [twos(400), twos(600)],
      room: 500, file: twos(400), failure: .documents(.full(path: "/documents")), isRefusedEarly: true),
    BodyCase(
      testDescription: "nothing at all", status: 200, pieces: [], file: [], failure: .empty),
  ]

  private func body(_ file: MemoryFile, _ it: BodyCase) throws -> AssetBody {
    var partial = PartialDownload()
    var resume = ResumePlan.fresh(nil)
    let address = try #require(WebAddress("https://cdn.example/1.mp3"))
    if it.kept > 0 {
      partial.bytes = Int64(it.kept)
      partial.total = Int64(Self.total)
      partial.entityTag = "\"v1\""
      partial.acceptsRanges = true
      partial.address = address.text
      resume = resumePlan(partial, asking: address)
    }
    var download = DownloadSpec()
    download.maxSize = it.maxSize.map { ByteCount($0) }
    let body = AssetBody(
      file, partial: partial, asset: Asset(url: address.text, type: "audio/mpeg"), download: download,
      sent: { _ in }, began: { _ in })
    body.expect(AssetBody.Expected(resume: resume, address: address))
    return body
  }

  /// Sends the response until the body refuses it; false if it does.
  private func feed(_ body: AssetBody, _ it: BodyCase) -> Bool {
    guard body.begin(Response(status: it.status, fields: it.fields, body: [])) == .proceed else {
      return false
    }
    for piece in it.pieces where piece.withUnsafeBytes({ body.receive($0) }) != .proceed { return false }
    return true
  }

  @Test(arguments: cases)
  func `the file gets only the bytes that belong to it`(it: BodyCase) throws {
    let file = MemoryFile(ones(it.kept), room: it.room)
    let body = try body(file, it)

    let isTaken = feed(body, it)

    #expect(isTaken == !it.isRefusedEarly)
    #expect((isTaken ? body.finish() : body.failure) == it.failure)
    #expect(file.content == it.file)
  }

  @Test(arguments: [0, 2000])
  func `a page is recognised at its end, or as soon as its beginning is there`(padding: Int) throws {
    let page = Self.page + [UInt8](repeating: UInt8(ascii: " "), count: padding)
    let it = BodyCase(
      testDescription: "a page", status: 200, fields: [HeaderField("Content-Type", "text/html")],
      pieces: [page], file: [])
    let body = try body(MemoryFile([]), it)

    let isTaken = feed(body, it)
    let failure = isTaken ? body.finish() : body.failure

    #expect(isTaken == (padding == 0))
    if case .page = failure {} else { Issue.record("\(String(describing: failure))") }
  }

  @Test func `the facts about the file come from the last response that was used`() throws {
    let it = BodyCase(
      testDescription: "", status: 200, fields: [length(500), HeaderField("ETag", "\"v2\"")], kept: 300,
      pieces: [], file: [])
    let body = try body(MemoryFile(ones(300)), it)
    let before = body.partial

    _ = feed(body, it)

    #expect((before.bytes, before.total, before.entityTag) == (300, 1000, "\"v1\""))
    #expect((body.partial.bytes, body.partial.total, body.partial.entityTag) == (0, 500, "\"v2\""))
    guard case .fresh(.some) = body.beginning else {
      Issue.record("\(String(describing: body.beginning))")
      return
    }
  }
}
