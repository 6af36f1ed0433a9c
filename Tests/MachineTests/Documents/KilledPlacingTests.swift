// A process that is killed while it places files.

import Core
import Glibc
import Synchronization
import Testing

@testable import Machine

/// Processes that are killed while they place files.
@Suite struct KilledPlacingTests {
  @Test(arguments: [false, true], [3, 20, 55])
  func `after a kill at any moment each file is complete under its name, or can still be placed`(
    isCopy: Bool, after count: Int
  ) async throws {
    let directory = TestDirectory()
    let path = directory.path
    let other = isCopy ? OtherFileSystem() : nil
    let otherPath = other?.path
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, otherPath = otherPath as String?, count] in
      let placed = Atomic(0)
      try startThread {
        while placed.load(ordering: .relaxed) < count { sched_yield() }
        // At some step of the next one.
        for _ in 0..<Int.random(in: 0..<200_000) { _ = placed.load(ordering: .sequentiallyConsistent) }
        kill(getpid(), SIGKILL)
      }
      let documents = try await DocumentsDirectory.ready(path)
      while true {
        let number = placed.load(ordering: .relaxed)
        let intent = try await documents.intent(1, soundOf(number), as: "planet/\(number).mp3")
        record(intent, in: path + "/intents")
        if let otherPath {
          // By a copy, as if the subdirectory were another file system.
          try copy(intent, from: documents, to: otherPath)
        } else {
          _ = try await documents.place(1, intent).get()
        }
        placed.add(1, ordering: .relaxed)
      }
    }

    let documents = DocumentsDirectory(path)
    let intents = try recordedIntents(directory("intents"), documents: path)
    #expect(intents.count >= count)
    let final = otherPath ?? directory("planet")
    // Every file with a final name is complete.
    for name in entries(final) where name.hasSuffix(".mp3") {
      #expect(content(final + "/" + name) == Int(name.dropLast(4)).map(soundOf))
    }
    if otherPath == nil, let last = intents.last {
      // The last intent is settled after any step.
      if try await !documents.isPlaced(last).get() {
        #expect(try await documents.place(1, last).get() == .placed)
      }
      #expect(content(directory(last.name)) == soundOf(intents.count - 1))
      await documents.discardOthers(keeping: [])
      #expect(documents.partials == [])
      #expect(entries(final).count == intents.count)
    }
  }
}

/// The content of the file of a number; some need more than one write.
private func soundOf(_ number: Int) -> String {
  String(repeating: "sound \(number) ", count: 1 + number % 7 * 5000)
}

/// Records an intent, as the store would.
private func record(_ intent: PlacementIntent, in path: String) {
  let line = Array(
    "\(intent.name) \(intent.size) \(intent.sha256) \(intent.identity.device) \(intent.identity.inode)\n".utf8
  )
  let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  write(file, line, line.count)
  close(file)
}

private func recordedIntents(_ path: String, documents: String) throws -> [PlacementIntent] {
  try (content(path) ?? "").split(separator: "\n").map { line in
    let words = line.split(separator: " ")
    return PlacementIntent(
      directory: documents, name: String(words[0]), size: try #require(Int64(words[1])),
      sha256: String(words[2]), modified: nil,
      identity: FileIdentity(
        device: try #require(UInt64(words[3])), inode: try #require(UInt64(words[4]))))
  }
}

/// Places a copy of the partial file of transfer 1 on another file system.
private func copy(_ intent: PlacementIntent, from documents: DocumentsDirectory, to path: String) throws {
  guard let part = try documents.open().partial(1) else { return }
  let name = String(intent.name.split(separator: "/")[1])
  let place = OpenPlace(
    directory: try Descriptor.open(path, O_RDONLY | O_DIRECTORY), name: name, path: path + "/" + name)
  _ = try place.takeCopy(of: part.file, as: ".bgfetch-1", intent, leaving: ByteCount(0))
}
