// Fetches a secret from where the configuration says it is. Masking it in output is the program's business.

public import Core

/// Fetches secrets: the first line, without its newline, of a variable, file, credential or command.
public struct SecretReader: Sendable {
  /// How long a command may take.
  public static let limit = Duration.seconds(10)
  /// The most bytes of a file, or of a command's output before its first newline.
  static let size = ByteCount(65_536)

  private let supervisor: Supervisor
  private let safety: FileSafety

  /// A reader that runs commands under a supervisor.
  public init(supervisor: Supervisor, safety: FileSafety = FileSafety()) {
    self.supervisor = supervisor
    self.safety = safety
  }

  /// The secret, never empty and without control characters, or the reason why there is none.
  ///
  /// A command runs directly, in the home directory, with the environment given and nothing on standard
  /// input. A file that is only group-writable is read all the same; `FileSafety` has the warning.
  public func read(_ secret: Secret, environment: [String: String]) async -> Result<String, SecretFailure> {
    do throws(SecretFailure) {
      return .success(try firstLine(try await bytes(of: secret, environment)))
    } catch {
      return .failure(error)
    }
  }

  private func bytes(
    of secret: Secret, _ environment: [String: String]
  ) async throws(SecretFailure) -> [UInt8] {
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
      guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else { throw .credentialName(name) }
      return try file(directory + "/" + name)
    case .command(let words):
      return try await output(of: words, environment)
    }
  }

  private func file(_ path: String) throws(SecretFailure) -> [UInt8] {
    let findings: [SafetyFinding]
    do throws(FileFailure) {
      findings = try safety.findings(path)
    } catch {
      throw .file(error)
    }
    if let refusal = findings.first(where: \.isRefusal) { throw .unsafe(refusal) }
    return try contents(path)
  }

  private func contents(_ path: String) throws(SecretFailure) -> [UInt8] {
    do throws(FileFailure) {
      return try readFile(path, limit: Self.size)
    } catch {
      throw .file(error)
    }
  }

  private func output(
    of words: [String], _ environment: [String: String]
  ) async throws(SecretFailure) -> [UInt8] {
    // An empty list has no program; the search finds nothing of that name.
    let command = Command(
      words.first ?? "", Array(words.dropFirst()), environment: environment,
      directory: Machine.homeDirectory(environment: environment) ?? "/", limit: Self.limit,
      grace: .seconds(1), outputLimit: Int(Self.size.bytes), errorLimit: 0)
    let result = await supervisor.run(command)
    guard result.ending == .exited(0) else { throw .command(result.ending) }
    return result.output
  }

  private func firstLine(_ bytes: [UInt8]) throws(SecretFailure) -> String {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard !line.isEmpty else { throw .empty }
    guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter }
    guard let text = String(validating: line, as: UTF8.self) else { throw .notText }
    return text
  }
}
