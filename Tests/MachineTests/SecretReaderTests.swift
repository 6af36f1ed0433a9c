// Secrets from variables, files, credentials and commands.

import Core
import Glibc
import Testing

@testable import Machine

/// Secrets from real variables, files, credentials and commands.
@Suite struct SecretReaderTests {
  let directory = TestDirectory()
  let reader = SecretReader(supervisor: Supervisor())
  var environment: [String: String] {
    [
      "PATH": "/usr/bin:/bin", "HOME": directory.path, "PASSWORD": "s3cret",
      "CREDENTIALS_DIRECTORY": directory.path,
    ]
  }

  private func read(_ secret: Secret) async -> Result<String, SecretFailure> {
    await reader.read(secret, environment: environment)
  }

  @Test func `a variable`() async {
    #expect(await read(.environment("PASSWORD")) == .success("s3cret"))
  }

  @Test func `a variable that is not set`() async {
    #expect(await read(.environment("OTHER")) == .failure(.variableMissing("OTHER")))
  }

  @Test(arguments: ["s3cret", "s3cret\n", "s3cret\nmore\n\u{0}"])
  func `a file's first line without its newline`(content: String) async {
    let file = directory.file("secret", content)

    #expect(await read(.file(file)) == .success("s3cret"))
  }

  @Test func `a file from Windows has the same secret`() async {
    #expect(await read(.file(directory.file("secret", "s3cret\r\n"))) == .success("s3cret"))
  }

  @Test func `blanks belong to the secret`() async {
    #expect(await read(.file(directory.file("secret", " s3 cret \n"))) == .success(" s3 cret "))
  }

  @Test(arguments: [
    ("", SecretFailure.empty), ("\ns3cret\n", .empty), ("s3\rcret\n", .controlCharacter),
    ("s3\tcret", .controlCharacter), ("s3\u{0}cret", .controlCharacter), ("s3\u{1B}cret", .controlCharacter),
    ("s3\u{7F}cret", .controlCharacter),
  ])
  func `a first line that cannot be a secret`(content: String, failure: SecretFailure) async {
    #expect(await read(.file(directory.file("secret", content))) == .failure(failure))
  }

  @Test func `a first line that is not UTF-8`() async {
    #expect(await read(.file(directory.file("secret", [0xC3, 0x28]))) == .failure(.notText))
  }

  @Test func `a file that is missing`() async {
    let failure = FileFailure(path: directory("secret"), problem: .missing)

    #expect(await read(.file(directory("secret"))) == .failure(.file(failure)))
  }

  @Test func `a file larger than a secret can be`() async {
    let file = directory.file("secret", [UInt8](repeating: UInt8(ascii: "x"), count: 65_537))
    let failure = FileFailure(path: file, problem: .tooLarge(limit: ByteCount(65_536)))

    #expect(await read(.file(file)) == .failure(.file(failure)))
  }

  @Test func `a file that everyone may write`() async {
    let file = directory.file("secret", "s3cret", permissions: 0o666)

    #expect(
      await read(.file(file)) == .failure(.unsafe(SafetyFinding(path: file, problem: .writableByAnyone))))
  }

  @Test func `a credential is a file of systemd's directory`() async {
    directory.file("planet", "s3cret\n", permissions: 0o400)

    #expect(await read(.credential("planet")) == .success("s3cret"))
  }

  @Test(arguments: ["", ".", "..", "../planet", "/etc/passwd", "a/b"])
  func `a credential that would lead elsewhere is refused`(name: String) async {
    #expect(await read(.credential(name)) == .failure(.credentialName(name)))
  }

  @Test func `without systemd there are no credentials`() async {
    #expect(await reader.read(.credential("planet"), environment: [:]) == .failure(.noCredentials))
  }

  @Test func `a command's first line`() async {
    #expect(await read(.command(["printf", "%s\\n", "s3cret", "more"])) == .success("s3cret"))
  }

  @Test func `a command runs in the home directory`() async {
    #expect(await read(.command(["pwd"])) == .success(directory.path))
  }

  @Test func `a command that fails gives no secret, whatever it printed`() async {
    #expect(await read(.command(["sh", "-c", "echo s3cret; exit 3"])) == .failure(.command(.exited(3))))
  }

  @Test func `a command that prints nothing`() async {
    #expect(await read(.command(["true"])) == .failure(.empty))
  }

  @Test func `a command that is not there`() async {
    let failure = SecretFailure.command(.couldNotStart(.notFound("no-such-tool")))

    #expect(await read(.command(["no-such-tool"])) == .failure(failure))
  }

  @Test func `a failure never contains the value`() async {
    let file = directory.file("secret", "s3cret\t\n")

    for secret in [Secret.file(file), .command(["sh", "-c", "echo s3cret; echo s3cret >&2; exit 1"])] {
      #expect(!"\(await read(secret))".contains("s3cret"))
    }
  }
}
