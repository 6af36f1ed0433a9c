// A complete partial file that is uploaded.

public import Core
import Glibc

extension DocumentsDirectory {
  /// Opens the partial file of a placement to upload it; `partialLost` if it is not the file of the intent.
  public func openComplete(_ placement: Placement) async -> Result<any UploadFile, DocumentsProblem> {
    await work { () throws(DocumentsProblem) in
      let documents = try open()
      let path = documents.partialPath(placement.transfer)
      guard let (file, status) = try documents.partial(placement.transfer),
        try file.is(placement.intent, status, path: path)
      else { throw .partialLost(path: path) }
      return CompleteFile(file, path: path, placement.intent)
    }
  }
}

private struct CompleteFile: UploadFile {
  let whole: UploadPart
  private let file: Descriptor
  private let path: String

  init(_ file: Descriptor, path: String, _ intent: PlacementIntent) {
    self.file = file
    self.path = path
    whole = UploadPart(size: intent.size, sha256: intent.sha256) { file.read(into: $0, at: $1) }
  }

  func part(at offset: Int64, _ size: Int64) async throws(DocumentsProblem) -> UploadPart {
    let sum = await onDocumentThread(path) { () throws(DocumentsProblem) in
      try sha256(of: file, path: path, from: offset, size)
    }
    return UploadPart(size: size, sha256: try sum.get()) { [file] in file.read(into: $0, at: offset + $1) }
  }
}

extension Descriptor {
  /// Reads into a buffer from an offset on; -1 if that fails.
  fileprivate func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    (try? call { pread($0, buffer.baseAddress, buffer.count, off_t(offset)) }) ?? -1
  }
}
