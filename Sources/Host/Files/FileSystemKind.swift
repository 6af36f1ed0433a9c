// What kind of file system something lies on, where that says what can be done about it.

import CLinux

/// Whether a type of statfs(2) stands for a file system that keeps neither owners nor permissions, so that chmod(1)
/// cannot mend them: who may do what with its files is said when it is mounted.
func keepsNoPermissions(fileSystem type: UInt32) -> Bool {
  switch type {
  // MSDOS_SUPER_MAGIC, which is vfat too; EXFAT_SUPER_MAGIC; ntfs3.
  case 0x4D44, 0x2011_BAB0, 0x7366_746E: true
  default: false
  }
}

/// Whether a path lies on such a file system; false where that cannot be told.
func liesWithoutPermissions(_ path: String) -> Bool {
  keepsNoPermissions(fileSystem: bgfetch_file_system_type(path))
}
