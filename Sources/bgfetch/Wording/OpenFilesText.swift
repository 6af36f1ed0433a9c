// Words for what cannot be done because no more files can be opened, whatever found that out.

import Core
import Host
import StateStore

/// What could not be opened for want of open files, empty where that is not known; nil for every other error.
func wantOfOpenFiles(_ error: any Error) -> String? {
  switch error {
  case is OpenFileShortage.Ending: ""
  case let error as SystemError: error.isTooManyOpenFiles ? "" : nil
  case let failure as FileFailure, ProgramFailure.file(let failure, _):
    if case .other(let error) = failure.problem, error.isTooManyOpenFiles { failure.path } else { nil }
  case StoreFailure.tooManyOpenFiles(let path): path
  // The same number says that the system has too many that watch files.
  case let failure as WakeFailure:
    failure.error.isTooManyOpenFiles && hasTooManyOpenFiles() ? failure.directory : nil
  default: nil
  }
}

/// That there are too many open files, with what could not be opened and the cure.
func openFilesText(_ path: String) -> String {
  (path.isEmpty ? "" : path + ": ")
    + "too many open files (\(openFileLimit()) at once are allowed); what is left "
    + "waits for the next run; raise the limit with ulimit -n, or LimitNOFILE= of the unit"
}
