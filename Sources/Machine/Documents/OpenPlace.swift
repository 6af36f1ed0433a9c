// Files under their final names: the path to them without links, their mode and date, whether a name is taken, removing.

public import Core
import Glibc

extension DocumentsDirectory {
  /// Whether anything has a name.
  ///
  /// If one of its directories is something else, the failure is `notDirectory`.
  public func isTaken(_ name: String) async throws(DocumentsProblem) -> Bool {
    try await work {
      guard let place = try open().place(of: name, making: false) else { return false }
      return (try? FileStatus(place.name, in: place.directory)) != nil
    }
  }

  /// Removes a placed file and the directories that become empty; false if the file is gone or was replaced: it is a
  /// link, a directory, or has another size and hooks cannot have changed it.
  ///
  /// Fails if the documents directory itself is gone.
  public func remove(
    _ file: PlacedFile, ofAnySize isOfAnySize: Bool = false
  ) async throws(DocumentsProblem) -> Bool {
    try await work {
      let documents = try open()
      guard let place = try documents.locate(file, ofAnySize: isOfAnySize) else { return false }
      try onDocument(place.path) {
        try place.directory.remove(place.name)
        try place.directory.synchronize()
      }
      documents.removeEmptyDirectories(above: file.name)
      return true
    }
  }

  /// Whether a placed file still exists, as a regular file of its size, or of any size if hooks may have changed it.
  ///
  /// True if that cannot be known, for example because the documents directory is gone.
  public func exists(_ file: PlacedFile, ofAnySize isOfAnySize: Bool = false) async -> Bool {
    (try? await work { try open().locate(file, ofAnySize: isOfAnySize) != nil }) ?? true
  }

  /// The sizes of all files, by name, without partial files; links are not followed.
  public func sizes() async throws(DocumentsProblem) -> [String: Int64] {
    try await work {
      var sizes: [String: Int64] = [:]
      func look(in directory: Descriptor, _ prefix: String) {
        for name in directory.names(where: { ![".", "..", partsName].contains($0) }) {
          guard let status = try? FileStatus(name, in: directory) else { continue }
          if status.kind == .file { sizes[prefix + name] = status.size }
          guard status.kind == .directory,
            let below = try? directory.openDirectory(name)
          else { continue }
          look(in: below, prefix + name + "/")
        }
      }
      look(in: try open().top, "")
      return sizes
    }
  }
}

extension OpenDocuments {
  /// The place of a placed file; nil if the file is gone, or something else has its name.
  fileprivate func locate(
    _ file: PlacedFile, ofAnySize isOfAnySize: Bool
  ) throws(DocumentsProblem) -> OpenPlace? {
    guard let found = try existingPlace(of: file.name) else { return nil }
    let status = try onDocument(found.path) {
      try FileStatus.existing(found.name, in: found.directory)
    }
    return status?.kind == .file && (isOfAnySize || status?.size == file.size) ? found : nil
  }
}

/// The path of a file below a documents directory.
struct DocumentName {
  let directories: [String]
  let name: String

  /// Splits a path; nil if it leaves the directory, or leads to the partial files.
  init?(_ path: String) {
    // By bytes, as the system does: a slash with a combining mark after it is one character.
    var parts = path.utf8.split(separator: "/", omittingEmptySubsequences: false).map { part in
      String(Substring(part))
    }
    let isSound = parts.allSatisfy { !["", ".", ".."].contains($0) && !$0.utf8.contains(0) }
    guard isSound, caseless(parts[0]) != partsName, let last = parts.popLast() else { return nil }
    directories = parts
    name = last
  }
}

/// An open directory below a documents directory, and a name in it.
struct OpenPlace {
  let directory: Descriptor
  let name: String
  /// The full path, for messages.
  let path: String
}

extension OpenDocuments {
  /// Opens the directory of a file; nil if it is missing and `making` is false, or if another transfer removed it as empty
  /// while it was being made.
  ///
  /// Each step opens one name without following a link, and no name is `..`. This cannot leave the documents directory,
  /// even if others rename directories meanwhile, and needs no openat2(2), which old kernels and containers refuse.
  func place(of path: String, making: Bool) throws(DocumentsProblem) -> OpenPlace? {
    let whole = self.path + "/" + path
    guard let name = DocumentName(path) else {
      throw .other(path: whole, detail: "not a name below the documents directory")
    }
    var current = top
    var walked = self.path
    for step in name.directories {
      walked += "/" + step
      let next: Descriptor?
      do throws(SystemError) {
        next = try current.step(into: step, making: making)
      } catch {
        // With O_NOFOLLOW a link fails like a file.
        guard [ENOTDIR, ELOOP].contains(error.code) else {
          throw DocumentsProblem(naming: walked, error)
        }
        throw .notDirectory(path: walked)
      }
      guard let next else { return nil }
      current = next
    }
    return OpenPlace(directory: current, name: name.name, path: whole)
  }

  /// Opens the directory of a file; nil if it is missing, or something else has a directory's name.
  func existingPlace(of path: String) throws(DocumentsProblem) -> OpenPlace? {
    do throws(DocumentsProblem) {
      return try place(of: path, making: false)
    } catch {
      if case .notDirectory = error { return nil }
      throw error
    }
  }

  /// Removes the directories of a file that are empty now, from the lowest up to the documents directory.
  func removeEmptyDirectories(above path: String) {
    guard var left = DocumentName(path)?.directories else { return }
    while let lowest = left.popLast() {
      // Another process removed this one, and may have stopped there.
      guard let place = try? place(of: (left + [lowest]).joined(separator: "/"), making: false) else {
        continue
      }
      let isGone = place.directory.borrow {
        unlinkat($0, lowest, Int32(AT_REMOVEDIR)) == 0 || errno == ENOENT
      }
      // A directory that cannot be removed is in use.
      if !isGone { return }
    }
  }
}

extension Descriptor {
  /// Opens a directory in this one; nil if it is missing and must not be made, or is removed at once.
  fileprivate func step(into name: String, making: Bool) throws(SystemError) -> Descriptor? {
    if let existing = try unless(ENOENT, in: openDirectory(name)) { return existing }
    guard making else { return nil }
    // A directory that is being removed refuses new entries.
    guard try unless(ENOENT, in: makeDirectory(name, permissions: 0o777)) != nil else { return nil }
    return try unless(ENOENT, in: openDirectory(name))
  }
}

extension Descriptor {
  /// Sets the mode and date of a placed file.
  ///
  /// A file system that refuses either, as FAT does, must not cost the file.
  func setAttributes(modified: Instant?) {
    borrow { _ = fchmod($0, 0o666 & ~ownUmask) }
    if let modified {
      var times = [
        timespec(tv_sec: 0, tv_nsec: omitted), timespec(tv_sec: Int(modified.secondsSince1970), tv_nsec: 0),
      ]
      borrow { _ = futimens($0, &times) }
    }
  }
}

/// `UTIME_OMIT` of futimens(2), a macro that Swift does not import.
private let omitted = (1 << 30) - 2

/// The umask of the process.
///
/// The only way to learn it is to set it: a file that another thread makes meanwhile is the user's alone.
private let ownUmask: UInt32 = {
  let mask = umask(0o077)
  umask(mask)
  return mask
}()
