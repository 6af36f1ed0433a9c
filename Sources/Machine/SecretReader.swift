// Reads a secret from its configured source. The program keeps it out of messages.

public import Core

/// Fetches secrets: the first line, without its newline, of a variable, file, credential or command.
public struct SecretReader: Sendable {
  public static let limit = Duration.seconds(10)
  /// The most bytes of a file or of a command's output.
  static let size = ByteCount(65_536)

  private let environment: [String: String]

  public init(environment: [String: String]) {
    self.environment = environment
  }

  /// Reads a secret, which is never empty and has no control characters.
  ///
  /// A command runs without a shell, in the home directory, with empty standard input. A file that is only group-writable is read;
  /// `FileSafety` gives the warning.
  public func read(_ secret: Secret) async throws(SecretFailure) -> String {
    try firstLine(try await bytes(of: secret))
  }

  private func bytes(of secret: Secret) async throws(SecretFailure) -> [UInt8] {
    switch secret {
    case .environment(let name):
      guard let value = environment[name] else { throw .variableMissing(name) }
      return Array(value.utf8)
    case .file(let path):
      return try file(path)
    case .credential(let name):
      guard let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else {
        throw .noCredentials
      }
      return try file(directory + "/" + name)
    case .command(let words):
      return try await output(of: words)
    }
  }

  private func file(_ path: String) throws(SecretFailure) -> [UInt8] {
    do throws(FileFailure) {
      try FileSafety.require(path)
      return try readFile(path, limit: Self.size)
    } catch {
      throw .file(error)
    }
  }

  private func output(of words: [String]) async throws(SecretFailure) -> [UInt8] {
    // An empty list has no program, and fails as "not found".
    let command = Command(
      words.first ?? "", Array(words.dropFirst()), environment: environment,
      directory: Machine.homeDirectory(environment: environment) ?? "/", limit: Self.limit,
      grace: .seconds(1), outputLimit: Int(Self.size.bytes), errorLimit: 0)
    let result = await command.run()
    guard result.ending == .exited(0) else { throw .command(result.ending) }
    return result.output
  }

  private func firstLine(_ bytes: [UInt8]) throws(SecretFailure) -> String {
    var line = bytes.prefix { $0 != "\n" }
    // A file from Windows has CR LF.
    if line.last == "\r" { line = line.dropLast() }
    guard !line.isEmpty else { throw .empty }
    guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter }
    guard let text = String(validating: line, as: UTF8.self) else { throw .notText }
    return text
  }
}

/// Why a secret cannot be read.
///
/// No case contains the secret, so no message can.
public enum SecretFailure: Error, Equatable, Sendable {
  case variableMissing(String)
  case file(FileFailure)
  /// `$CREDENTIALS_DIRECTORY` is not set: the program was not started by a unit with credentials.
  case noCredentials
  /// The command could not start, did not exit with 0, or took longer than `SecretReader.limit`.
  case command(CommandEnding)
  /// The first line is empty.
  case empty
  /// The first line contains a control character, such as a NUL byte or a tab.
  case controlCharacter
  /// The first line is not UTF-8.
  case notText
}
