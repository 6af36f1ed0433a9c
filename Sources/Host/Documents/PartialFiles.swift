// The partial files of a documents directory: opening and removing them.

public import Core
import Glibc

extension DocumentsDirectory {
  /// Opens the partial file of a transfer, cut back to so many bytes.
  ///
  /// With none to keep a new one is made, in the place of whatever has its name. Otherwise one that is missing, is
  /// shorter, has another name besides or is no regular file is `partialLost`.
  public func openPartial(
    _ transfer: Int64, keeping kept: Int64
  ) async -> Result<any PartialFile, DocumentsProblem> {
    await work { () throws(DocumentsProblem) in
      let documents = try open()
      return kept > 0 ? try documents.reopen(transfer, keeping: kept) : try documents.create(transfer)
    }
  }

  /// Removes the partial file of a transfer, if there is one.
  public func discard(_ transfer: Int64) async {
    // What cannot be removed now goes with the others that nobody knows, in a later run.
    _ = await work { () throws(DocumentsProblem) in
      let documents = try open()
      documents.parts.borrow { _ = unlinkat($0, documents.partialName(transfer), 0) }
    }
  }

  /// Removes the store's partial files whose transfer is not among these, and nothing else.
  public func discardOthers(keeping kept: Set<Int64>) async {
    _ = await work { () throws(DocumentsProblem) in
      let documents = try open()
      for name in documents.parts.names(where: { documents.transfer(ofPartial: $0) != nil }) {
        guard let number = documents.transfer(ofPartial: name), !kept.contains(number),
          let status = try? FileStatus(name, in: documents.parts), status.kind == .file
        else { continue }
        documents.parts.borrow { _ = unlinkat($0, name, 0) }
      }
    }
  }
}

extension OpenDocuments {
  /// The name of the partial file of a transfer in `.bgfetch`.
  func partialName(_ transfer: Int64) -> String { "\(transfer)\(partialEnd)" }

  /// What the names of the store's partial files end with: other stores number their transfers, too.
  private var partialEnd: String { mark.isEmpty ? ".part" : "-\(mark).part" }

  /// The transfer whose partial file has a name; nil if it is none of this store's.
  fileprivate func transfer(ofPartial name: String) -> Int64? {
    guard name.hasSuffix(partialEnd), let number = Int64(name.dropLast(partialEnd.count)),
      partialName(number) == name
    else { return nil }
    return number
  }

  /// The path of the partial file of a transfer, for messages.
  func partialPath(_ transfer: Int64) -> String { path + "/" + partsName + "/" + partialName(transfer) }

  /// Opens the partial file of a transfer as it is; nil if there is none that is ours.
  func partial(_ transfer: Int64) throws(DocumentsProblem) -> (file: Descriptor, status: FileStatus)? {
    try onDocument(partialPath(transfer)) { () throws(SystemError) in
      guard let found = try parts.openRegular(partialName(transfer), O_RDWR) else { return nil }
      // What a share of the network makes of owners, it makes of its directory's, too.
      let owners = [geteuid(), 0, try FileStatus(parts).owner]
      return owners.contains(found.status.owner) ? found : nil
    }
  }

  fileprivate func create(_ transfer: Int64) throws(DocumentsProblem) -> any PartialFile {
    let path = partialPath(transfer)
    let file = try onDocument(path) { () throws(SystemError) in
      try parts.remove(partialName(transfer))
      return try parts.open(
        partialName(transfer), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
    }
    return try OpenPartial(file, in: parts, path: path, size: 0, isNew: true)
  }

  fileprivate func reopen(_ transfer: Int64, keeping kept: Int64) throws(DocumentsProblem) -> any PartialFile
  {
    let path = partialPath(transfer)
    // A second name is the final one, given to it just before a crash: that file must not change any more.
    guard let (file, status) = try partial(transfer), status.size >= kept, status.links == 1 else {
      throw .partialLost(path: path)
    }
    if status.size > kept {
      try onDocument(path) { () throws(SystemError) in _ = try file.call { ftruncate($0, off_t(kept)) } }
    }
    return try OpenPartial(file, in: parts, path: path, size: kept, isNew: false)
  }
}

extension Descriptor {
  /// Opens a regular file in this directory; nil if there is none of that name, but perhaps something else.
  func openRegular(_ name: String, _ flags: Int32) throws(SystemError) -> (
    file: Descriptor, status: FileStatus
  )? {
    let file: Descriptor
    do throws(SystemError) {
      // A pipe without a writer would hold up whoever opens it.
      file = try open(name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    } catch {
      // Nothing, a link, a directory, or a socket or device.
      guard ![ENOENT, ELOOP, EISDIR, ENXIO, ENODEV].contains(error.code) else { return nil }
      throw error
    }
    let status = try FileStatus(file)
    return status.kind == .file ? (file, status) : nil
  }

  /// Removes a name that is no directory, if it is there.
  func remove(_ name: String) throws(SystemError) {
    do throws(SystemError) {
      try call { unlinkat($0, name, 0) }
    } catch {
      guard error.code != ENOENT else { return }
      throw error
    }
  }
}
