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

/// Whether a type of statfs(2) stands for a file system of the network, or of FUSE, where owners are what a server says.
func isOfServer(fileSystem type: UInt32) -> Bool {
  switch type {
  // NFS; SMB in three versions; 9p, of virtual machines; Ceph; FUSE, which only its mounter may see unless he shares it.
  case 0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x0102_1997, 0x00C3_6400, 0x6573_5546: true
  default: false
  }
}

/// Whether owners and permissions of a path are a matter of its mount or its server and not of this machine's users.
func permissionsAreElsewhere(_ path: String) -> Bool {
  let type = bgfetch_file_system_type(path)
  return keepsNoPermissions(fileSystem: type) || isOfServer(fileSystem: type)
}

/// Whether a path lies on a file system that keeps no permissions; false where that cannot be told.
func liesWithoutPermissions(_ path: String) -> Bool {
  keepsNoPermissions(fileSystem: bgfetch_file_system_type(path))
}
