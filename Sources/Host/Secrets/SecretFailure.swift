// Why there is no secret. Nothing here can hold a secret's value, so that no message can either.

/// Why a secret could not be had.
public enum SecretFailure: Error, Hashable, Sendable {
  /// The environment variable is not set.
  case variableMissing(String)
  /// The file cannot be read.
  case file(FileFailure)
  /// Somebody else could have written the file.
  case unsafe(SafetyFinding)
  /// `$CREDENTIALS_DIRECTORY` is not set: the program was not started by a unit with credentials.
  case noCredentials
  /// The credential's name has a slash in it, or is `.`, `..` or nothing.
  case credentialName(String)
  /// The command cannot be run, did not exit with 0 or took longer than `SecretReader.limit`.
  case command(CommandEnding)
  /// The first line is empty.
  case empty
  /// The first line holds a control character: a NUL byte, a tab, a carriage return of a file from Windows.
  case controlCharacter
  /// The first line is not UTF-8.
  case notText
}
