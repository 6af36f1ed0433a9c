// Secrets from variables, files, credentials and commands.

import Core
import Glibc
import Testing

@testable import Machine

/// Secrets from real variables, files, credentials and commands.
@Suite struct SecretReaderTests {
  let directory = TestDirectory()
  var environment: [String: String] {
    [
      "PATH": "/usr/bin:/bin", "HOME": directory.path, "PASSWORD": "s3cret",
      "CREDENTIALS_DIRECTORY": directory.path,
    ]
  }

  private func read(_ secret: Secret) async -> Result<String, SecretFailure> {
    await read(secret, environment)
  }

  private func read(
    _ secret: Secret, _ environment: [String: String]
  ) async -> Result<String, SecretFailure> {
    do throws(SecretFailure) {
      return .success(try await SecretReader(environment: environment).read(secret))
    } catch {
      return .failure(error)
    }
  }

  @Test func `a secret is a variable, a file's first line, a credential or a command's first line`() async {
    directory.file("planet", "s3cret\n", permissions: 0o400)
    for secret in [
      Secret.environment("PASSWORD"), .credential("planet"), .command(["printf", "%s\\n", "s3cret", "more"]),
    ]
      + ["s3cret", "s3cret\n", "s3cret\nmore\n\u{0}", "s3cret\r\n"].enumerated().map({
        .file(directory.file("secret\($0)", $1))
      })
    {
      #expect(await read(secret) == .success("s3cret"), "\(secret)")
    }
    #expect(await read(.file(directory.file("secret", " s3 cret \n"))) == .success(" s3 cret "))
    #expect(await read(.command(["pwd"])) == .success(directory.path))
  }

  @Test(arguments: [
    ("", SecretFailure.empty), ("\ns3cret\n", .empty), ("s3\rcret\n", .controlCharacter),
    ("s3\tcret", .controlCharacter), ("s3\u{0}cret", .controlCharacter), ("s3\u{1B}cret", .controlCharacter),
    ("s3\u{7F}cret", .controlCharacter),
  ])
  func `a first line that cannot be a secret`(content: String, failure: SecretFailure) async {
    #expect(await read(.file(directory.file("secret", content))) == .failure(failure))
  }

  @Test func `a secret that is missing or cannot be trusted has its reason`() async {
    let large = directory.file("large", [UInt8](repeating: UInt8(ascii: "x"), count: 65_537))
    let open = directory.file("open", "s3cret", permissions: 0o666)
    let rows: [(Secret, SecretFailure)] = [
      (.environment("OTHER"), .variableMissing("OTHER")),
      (.file(directory.file("bytes", [0xC3, 0x28])), .notText),
      (.file(directory("none")), .file(FileFailure(path: directory("none"), problem: .missing))),
      (.file(large), .file(FileFailure(path: large, problem: .tooLarge(limit: ByteCount(65_536))))),
      (
        .file(open),
        .file(
          FileFailure(path: open, problem: .unsafe(SafetyFinding(path: open, problem: .writableByAnyone))))
      ),
      (.command(["sh", "-c", "echo s3cret; exit 3"]), .command(.exited(3))), (.command(["true"]), .empty),
      (.command(["no-such-tool"]), .command(.couldNotStart(.notFound("no-such-tool")))),
    ]

    for (secret, failure) in rows { #expect(await read(secret) == .failure(failure)) }
    #expect(await read(.credential("planet"), [:]) == .failure(.noCredentials))
  }

  @Test func `a failure never contains the value`() async {
    let file = directory.file("secret", "s3cret\t\n")

    for secret in [Secret.file(file), .command(["sh", "-c", "echo s3cret; echo s3cret >&2; exit 1"])] {
      #expect(!"\(await read(secret))".contains("s3cret"))
    }
  }
}
