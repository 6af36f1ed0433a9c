// Names below a documents directory, walked a part at a time so that no symbolic link leads out of it.

import Core
import Glibc

/// The name of a file below a documents directory.
struct DocumentName {
  /// The directories on the way to it.
  let directories: [String]
  /// Its own name.
  let name: String

  /// Splits a name; nil if it does not stay below the directory, or leads to the partial files.
  init?(_ path: String) {
    // Byte by byte, as the system does: what to people is one character with the slash may follow it.
    var parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { part in
      String(Substring(part))
    }
    let isSound = parts.allSatisfy { !["", ".", ".."].contains($0) && !$0.utf8.contains(0) }
    guard isSound, caseless(parts[0]) != partsName, let last = parts.popLast() else { return nil }
    directories = parts
    name = last
  }
}

/// A directory below a documents directory that is open, and a name in it.
struct OpenPlace {
  let directory: Descriptor
  let name: String
  /// The whole path, for messages.
  let path: String
}

extension OpenDocuments {
  /// The directory that a file is to lie in; nil if it is not there and `making` does not ask for it, or if another
  /// transfer removed it as empty while it was being made.
  ///
  /// Each step opens one name without following a link, and no name is `..`: that cannot leave the directory, whatever
  /// others rename meanwhile, and needs no openat2(2), which old kernels and containers refuse.
  func place(of path: String, making: Bool) throws(DocumentsProblem) -> OpenPlace? {
    let whole = self.path + "/" + path
    guard let name = DocumentName(path) else {
      throw .other(path: whole, detail: "not a name below the documents directory")
    }
    var current = top
    var walked = self.path
    for (level, step) in name.directories.enumerated() {
      walked += "/" + step
      let next: Descriptor?
      do throws(SystemError) {
        next = try current.step(into: step, making: making)
      } catch {
        // A link is as little a directory as a file is, where none is followed.
        guard [ENOTDIR, ELOOP].contains(error.code) else {
          throw DocumentsProblem(naming: walked, error, isWritable: current.isWritableDirectory)
        }
        let isLink = (try? FileStatus(step, in: current))?.kind == .link
        throw isLink ? .linkOnTheWay(path: walked) : .directoryTaken(path: walked, level: level)
      }
      guard let next else { return nil }
      current = next
    }
    return OpenPlace(directory: current, name: name.name, path: whole)
  }

  /// The directory that a file lies in; nil if it is not there, or something else is on the way to it.
  func existingPlace(of path: String) throws(DocumentsProblem) -> OpenPlace? {
    do throws(DocumentsProblem) {
      return try place(of: path, making: false)
    } catch {
      switch error {
      case .linkOnTheWay, .directoryTaken: return nil
      default: throw error
      }
    }
  }

  /// Removes the directories on the way to a file that are empty now, from the lowest up to the documents directory.
  func removeEmptyDirectories(above path: String) {
    guard var left = DocumentName(path)?.directories else { return }
    while let lowest = left.popLast() {
      // One that is gone already was removed beside this, by somebody who may have stopped there.
      guard let place = try? place(of: (left + [lowest]).joined(separator: "/"), making: false) else {
        continue
      }
      let isGone = place.directory.borrow {
        unlinkat($0, lowest, Int32(AT_REMOVEDIR)) == 0 || errno == ENOENT
      }
      // One that cannot be removed is in use, or in nobody's way.
      if !isGone { return }
    }
  }
}

extension Descriptor {
  /// Opens a directory in this one; nil if it is not there and is not to be made, or does not stay.
  fileprivate func step(into name: String, making: Bool) throws(SystemError) -> Descriptor? {
    do throws(SystemError) {
      if let there = try openDirectory(name) { return there }
      guard making else { return nil }
      if try makeDirectory(name, permissions: 0o777) { try synchronize() }
      return try openDirectory(name)
    } catch {
      // Nothing can be made in a directory that is removed itself.
      guard error.code == ENOENT else { throw error }
      return nil
    }
  }

  /// Opens a directory in this one without following a link; nil if it is not there.
  private func openDirectory(_ name: String) throws(SystemError) -> Descriptor? {
    do throws(SystemError) {
      return try open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
  }
}
