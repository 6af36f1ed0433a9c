// The executor that the tasks of the program share.

/// The tasks of the program.
public enum ProgramTasks {
  /// The executor for unstructured tasks, which do not inherit that of their creator (SE-0417); nil outside the program.
  ///
  /// Without one they would run on libdispatch, which waits for ever if the system refuses it a thread.
  @TaskLocal public static var executor: (any TaskExecutor)?
}
