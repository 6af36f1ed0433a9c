// The message for every error that ends the program: `where: what happened; what to do`.

import Config
import Core
import Glibc
import Machine
import Store

/// An error that ends the program.
enum ProgramFailure: Error {
  case configuration([ConfigurationProblem])
  case noConfiguration(looked: [String])
  /// A file; the purpose names it in the message.
  case file(FileFailure, purpose: String)
  /// Another run holds the lock; the cure is what to do besides waiting.
  case locked(LockHolder, path: String, cure: String)
  /// Any other error.
  case other([String], ExitStatus)

  /// An error that was reported before, in this run or an earlier one.
  static func reported(_ status: ExitStatus) -> ProgramFailure { other([], status) }

  /// Another `run --watch` uses the state directory.
  static func watched(_ holder: LockHolder, path: String) -> ProgramFailure {
    other(
      ["another run --watch holds \(path)\(holderText(holder)); only one can run; end it first"], .tryLater)
  }

  /// A wrong command line.
  static func usage(_ text: String) -> ProgramFailure { other([text], .usage) }

  /// No feed was found; the text names the address.
  static func notFound(_ text: String) -> ProgramFailure { other([text], .allFailed) }

  /// A file of the configuration that cannot be edited.
  static func notEdited(_ file: String, _ refusal: Refusal) -> ProgramFailure {
    other(["\(file): \(refusal.what); \(refusal.cure ?? "edit it yourself")"], .configuration)
  }

  /// A file of the configuration that cannot be read or written.
  static func configurationFile(_ failure: FileFailure) -> ProgramFailure {
    other(["the configuration: " + fileText(failure)], failure.status)
  }

  /// Files that another user may have written.
  static func unsafe(_ findings: [SafetyFinding]) -> ProgramFailure {
    other(findings.map(safetyText), .configuration)
  }

  /// A time zone that cannot be read.
  static func zone(_ failure: ZoneFailure, named name: String?) -> ProgramFailure {
    let status: ExitStatus = if case .file(let file) = failure { file.status } else { .configuration }
    return other([zoneText(failure, named: name)], status)
  }

  /// A hook started a run.
  static let runInHook = other(["a hook of a run cannot start a run; start it from elsewhere"], .tryLater)

  /// A hook pushes with `--run`.
  static let pushRunInHook = other(
    ["the push is stored, and the run of this hook or the next run handles it; leave out --run"], .tryLater)

  /// Neither `HOME`, whose value is given, nor the password database names a home directory.
  static func noHome(_ home: String?) -> ProgramFailure {
    let variable = home.map { "HOME is \"\($0)\", which is not an absolute path" } ?? "HOME is not set"
    return other(
      ["there is no home directory: \(variable), and the password database has none for this user; set HOME"],
      .configuration)
  }
}

/// Throws another error in place of the one that an expression throws.
func restating<Value, Failure: Error>(
  _ body: @autoclosure () throws(Failure) -> Value, _ restated: (Failure) -> any Error
) throws -> Value {
  do throws(Failure) {
    return try body()
  } catch {
    throw restated(error)
  }
}

/// Names a file by its purpose in the error that the body throws about it.
func naming<Value>(
  _ purpose: String, _ body: () throws(FileFailure) -> Value
) throws(ProgramFailure) -> Value {
  do throws(FileFailure) {
    return try body()
  } catch {
    throw .file(error, purpose: purpose)
  }
}

/// The message for an error, in lines, and the exit status.
///
/// Problems of a configuration begin with `file:line:column`, which editors understand; other messages begin with the
/// program's name.
func errorText(_ error: any Error) -> (lines: [String], status: ExitStatus) {
  func named(_ lines: [String]) -> [String] { lines.map { "bgfetch: " + $0 } }
  return switch error {
  case ProgramFailure.configuration(let problems): (problems.map(\.text), .configuration)
  case ProgramFailure.noConfiguration(let looked): (named([noConfigurationText(looked)]), .configuration)
  case ProgramFailure.file(let failure, let purpose): (named(["\(purpose): " + fileText(failure)]), .storage)
  case ProgramFailure.locked(let holder, let path, let cure):
    (named(["another run holds \(path)\(holderText(holder)); wait for it to end\(cure)"]), .tryLater)
  case ProgramFailure.other(let lines, let status): (named(lines), status)
  case let failure as StoreFailure: (named([storeText(failure)]), .storage)
  case let failure as FileFailure: (named([fileText(failure)]), .storage)
  case let problem as DocumentsProblem: (named([text(of: .documents(problem))]), .storage)
  case let failure as WakeFailure: (named([wakeText(failure)]), .storage)
  case let error as SystemError where error.code == EMFILE || error.code == ENFILE:
    (named([tooManyOpenFiles]), .storage)
  case let error as SystemError:
    (named(["a system resource is exhausted: \(error.text); see ulimit -a, and free"]), .storage)
  default: (named(["internal error: \(error)"]), .internalError)
  }
}

/// The message that there is no configuration where it was looked for.
private func noConfigurationText(_ looked: [String]) -> String {
  let isOfSystem = looked == [SystemPlaces.configuration]
  return
    "there is no configuration; looked for \(looked.joined(separator: " and ")); write a first one with bgfetch add "
    + (isOfSystem ? "--config \(SystemPlaces.configuration) URL" : "URL") + ", or name yours with --config"
}

private let tooManyOpenFiles =
  "too many open files; raise the limit with ulimit -n, or LimitNOFILE= of the unit"

/// The process that holds a lock, as part of a sentence; empty if unknown.
func holderText(_ holder: LockHolder) -> String {
  guard let process = holder.process else { return "" }
  return " (process \(process)" + (holder.since.map { " since \($0.rfc3339)" } ?? "") + ")"
}

/// The message that the state directory cannot be watched for wake-ups.
private func wakeText(_ failure: WakeFailure) -> String {
  "\(failure.directory): cannot be watched: \(failure.error.text); if many programs watch files, raise "
    + "fs.inotify.max_user_instances and fs.inotify.max_user_watches with sysctl"
}

/// The message about a file that another user may have written.
func safetyText(_ finding: SafetyFinding) -> String {
  let (what, cure) = safetyWords(finding)
  return "\(what); \(cure)"
}

/// The message of `safetyText` in two parts.
func safetyWords(_ finding: SafetyFinding) -> (what: String, cure: String) {
  let (what, cure) =
    switch finding.problem {
    case .ownedByOther(let user):
      (
        "\(finding.path): belongs to user \(user), who could change it",
        "chown it to yourself, or use another path"
      )
    case .writableByAnyone: ("\(finding.path): every user can write to it", "chmod go-w \(finding.path)")
    case .writableByGroup(let group):
      ("\(finding.path): the group \(group) can write to it", "chmod go-w \(finding.path)")
    case .openToAnyone:
      ("\(finding.path): every user can add files to it", "use a directory of your own")
    }
  let mount =
    "keep it elsewhere, or mount its file system, which stores no permissions, with uid= and umask=077"
  return (what, finding.isOfMount ? mount : cure)
}

/// The message about a file that cannot be read or written.
func fileText(_ failure: FileFailure) -> String {
  if case .unsafe(let finding) = failure.problem { return safetyText(finding) }
  let what =
    switch failure.problem {
    case .missing: "there is no such file or directory"
    case .exists: "already exists"
    case .denied: "permission denied; check its owner and mode"
    case .isDirectory: "is a directory, and a file was expected"
    case .isSpecial: "is neither a file nor a directory"
    case .notDirectory: "part of its path is not a directory"
    case .tooLarge(let limit): "is larger than \(limit.text)"
    case .silent(let seconds): "no data for \(seconds) s; a pipe needs a program that writes to it"
    case .full: "the disk is full; free some space and run again"
    case .readOnly: "the file system is read-only"
    case .linkLoop: "is a symbolic link, or part of a loop of symbolic links"
    case .nameTooLong: "the name is too long"
    case .hasOtherNames: "has more than one name (hard links); remove all but one"
    case .changed: "another program has just changed it; try again"
    case .unsafe: "another user could change it"
    case .other(let error) where error.code == EIO: "\(error.text); check the disk"
    case .other(let error): error.text
    }
  return "\(failure.path): \(what)"
}

/// The message about a secret that cannot be read; it never contains the secret.
func secretText(_ failure: SecretFailure) -> String {
  switch failure {
  case .variableMissing(let name): "the environment has no \(name)"
  case .file(let failure): fileText(failure)
  case .noCredentials:
    "$CREDENTIALS_DIRECTORY is not set; start bgfetch from a systemd unit with LoadCredential="
  case .command(let ending): "the command " + endingText(ending)
  case .empty: "its first line is empty"
  case .controlCharacter: "its first line contains control characters"
  case .notText: "its first line is not UTF-8"
  }
}

/// The ending of a command, as the rest of a sentence.
func endingText(_ ending: CommandEnding) -> String {
  switch ending {
  case .exited(let status): "exited with status \(status)"
  case .signalled(let signal): "was ended by signal \(signal)"
  case .timedOut: "took longer than 10s"
  case .cancelled: "was suspended"
  case .couldNotStart(let failure): "could not be started: " + startText(failure)
  }
}

/// The message about a program that cannot be started.
func startText(_ failure: StartFailure) -> String {
  switch failure {
  case .notFound("sendmail"):
    "there is no program sendmail; install one, such as msmtp-mta, or write run: [msmtp, -t]"
  case .notFound(let name): "there is no program \(name); write its full path, or check PATH"
  case .notExecutable(let path): "\(path) is not executable; chmod +x \(path)"
  case .notAProgram(let path): "\(path) is not a program; begin a script with #! and its interpreter"
  case .interpreterMissing(let path): "the interpreter that \(path) names is missing"
  case .unusableText: "an argument or variable contains a NUL byte"
  case .unsafe(let finding): safetyText(finding)
  case .system(let error): error.text
  }
}

/// The message about an error of the store.
func storeText(_ failure: StoreFailure) -> String {
  if let text = serverText(failure) { return text }
  return switch failure {
  case .belongsTo(let configuration, let path):
    "\(path): belongs to the configuration \(configuration); give this one a state directory of its own"
  case .newerSchema(let path, let found, let known):
    "\(path): was written by a newer bgfetch (schema \(found), this one has \(known)); update bgfetch on this machine"
  case .corrupt(let path, let detail):
    "\(path): is damaged (\(cleanText(detail, limit: 200))); move it away, and the next run starts afresh"
  case .foreign(let path):
    "\(path): is the database of another program; move it away, or give bgfetch a state directory of its own"
  case .notAFile(let path):
    "\(path): is a directory, pipe or device, and a file was expected; move it away, and the next run starts afresh"
  case .full(let path, _): "\(path): the disk is full; free some space and run again"
  case .inputOutput(let path, let detail): "\(path): \(detail); check the disk"
  case .readOnly(let path, let detail): "\(path): \(detail); check its owner, its mode and the file system"
  case .busy(let path, _): "\(path): another process has kept it locked for 10s; try again"
  case .cannotOpen(let path, let detail): "\(path): \(detail); check its directory and permissions"
  case .tooManyOpenFiles(let path): "\(path): \(tooManyOpenFiles)"
  case .notEmpty(let path): "\(path): has a state already, and nothing was copied; copy to an empty one"
  case .closed(let path): "\(path): was closed before"
  case .noFullTextSearch:
    "items cannot be searched: this libsqlite3 was built without FTS5; install one that has it"
  case .other(let path, let code, let detail): "\(path): \(detail) (SQLite code \(code))"
  // No file has them.
  case .unreachable, .refused, .sharedSession, .notPrepared, .takenForDead: ""
  }
}

extension FileFailure {
  /// Too few descriptors, or a disk that fails, are troubles of the machine.
  fileprivate var status: ExitStatus { if case .other = problem { .storage } else { .configuration } }
}

/// The message about a time zone that cannot be read.
func zoneText(_ failure: ZoneFailure, named name: String?) -> String {
  let cure =
    name == nil ? "check TZ and /etc/localtime, or set timezone" : "check timezone, or install tzdata"
  return switch failure {
  case .unknown(let name): "there is no time zone \"\(name)\"; \(cure)"
  case .file(let failure): "the time zone cannot be read: \(fileText(failure)); \(cure)"
  case .unreadable(let path): "\(path): is not a zone file; \(cure)"
  }
}
