// Documents directories on full and separate file systems (needs the right to mount).

import Core
import Glibc
import Testing

@testable import Machine

/// Documents directories on file systems that are full, or more than one.
@Suite(.enabled("this machine lets users mount nothing") { await MountedPlaces.areAllowed() })
struct MountedDocumentsTests {
  let directory = TestDirectory()

  @Test func `a full disk is reported, and the bytes before it are counted and can be resumed`() async throws
  {
    let places = try await MountedPlaces(directory, "mkdir small && mount -t tmpfs -o size=1m none small")
    let documents = try await DocumentsDirectory.ready(places("small"))
    let part = places("small/.bgfetch/1.part")
    let megabyte = [UInt8](repeating: 5, count: 1 << 20)
    do {
      let file = try await documents.openPartial(1, keeping: 0)

      #expect(throws: DocumentsProblem.full(path: part)) { try file.append(megabyte + megabyte) }

      #expect(file.size > 500_000)
      #expect(file.size <= 1 << 20)
      #expect(fileSize(part) == file.size)
      #expect(try await file.synchronize().bytes == file.size)
      #expect(try await documents.space() == ByteCount(0))
    }
    let again = try await documents.openPartial(1, keeping: 1000)
    try again.append("more")
    #expect(again.size == 1004)
    await places.end()
  }

  @Test func `a full disk leaves no copy behind and keeps the partial file`() async throws {
    let places = try await MountedPlaces(
      directory,
      """
      mkdir large && mount -t tmpfs none large &&
      mkdir large/planet && mount -t tmpfs -o size=100k none large/planet
      """)
    let documents = try await DocumentsDirectory.ready(places("large"))
    let intent = try await documents.intent(1, String(repeating: "x", count: 200_000), as: "planet/a.mp3")

    await #expect(throws: DocumentsProblem.full(path: places("large/planet/a.mp3"))) {
      try await documents.place(1, intent)
    }
    #expect(entries(places("large/planet")) == [])
    #expect(documents.partials == ["1.part"])
    await places.end()
  }

  @Test(arguments: [false, true])
  func `a subdirectory that is a file system of its own gets a copy`(replaces: Bool) async throws {
    let places = try await MountedPlaces(
      directory,
      """
      mkdir one && mount -t tmpfs none one &&
      mkdir one/planet && mount -t tmpfs none one/planet && echo earlier > one/planet/a.mp3
      """)
    let documents = try await DocumentsDirectory.ready(places("one"))
    let moment = Instant(secondsSince1970: 1_700_000_000)
    let sound = String(repeating: "sound ", count: 100_000)
    var intent = try await documents.intent(1, sound, as: "planet/a.mp3", modified: moment)
    intent.replaces = replaces

    #expect(try await documents.place(1, intent) == (replaces ? .placed : .nameTaken))
    if !replaces {
      #expect(content(places("one/planet/a.mp3")) == "earlier\n")
      intent.name = "planet/a 2.mp3"
      #expect(try await documents.place(1, intent) == .placed)
    }

    #expect(content(places("one/" + intent.name)) == sound)
    #expect(try FileStatus(places("one/" + intent.name), following: false).modified.seconds == 1_700_000_000)
    #expect(permissions(places("one/" + intent.name)) == permissions(places("one/planet/a.mp3")))
    #expect(entries(places("one/planet")).count == (replaces ? 1 : 2))
    #expect(documents.partials == [])
    #expect(try await documents.isPlaced(intent))
    await places.end()
  }

  @Test func `a read-only directory is reported`() async throws {
    let places = try await MountedPlaces(
      directory,
      "mkdir fixed && mount -t tmpfs none fixed && mkdir fixed/.bgfetch && mount -o remount,ro fixed")
    let documents = DocumentsDirectory(places("fixed"))
    try await documents.prepare(wasUsed: true)

    await #expect(
      throws: DocumentsProblem.denied(
        path: places("fixed/.bgfetch/1.part"), detail: SystemError(code: EROFS).text)
    ) { try await documents.openPartial(1, keeping: 0) }
    await places.end()
  }
}

/// The size of a file; nil if there is none.
private func fileSize(_ path: String) -> Int64? { (try? FileStatus(path, following: false))?.size }
