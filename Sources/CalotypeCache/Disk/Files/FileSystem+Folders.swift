import CalotypeSupport

extension FileSystem {
    /// Returns the status of a path; `nil` if no file can exist there.
    func statusIfPresent(_ path: String) throws(FileError) -> FileStatus? {
        do {
            return try status(at: path)
        } catch  where error.leavesNothingThere {
            return nil
        }
    }

    /// Calls `body` with a folder open, and closes it.
    func withFolder(
        _ path: String,
        _ body: (FileDescriptor) throws(FileError) -> Void
    ) throws(FileError) {
        let folder = try open(path, as: .folder)
        do {
            try body(folder)
        } catch {
            closeAfterFailure(folder)
            throw error
        }
        try close(folder)
    }

    /// Closes a descriptor whose use has already failed, or that was only read from.
    ///
    /// The first error is the one worth reporting, and closing a file that was only read cannot lose data.
    func closeAfterFailure(_ file: FileDescriptor) {
        do {
            try close(file)
        } catch {
            return
        }
    }

    /// Returns the first bytes of a file as text; `nil` if they are not valid UTF-8.
    func text(of file: FileDescriptor, maxByteCount: Int) throws(FileError) -> String? {
        var bytes = [UInt8](repeating: 0, count: maxByteCount)
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try unsafe read(file, into: buffer, at: 0) }
        }
        return String(validating: bytes.prefix(try result.get()), as: UTF8.self)
    }

    /// Removes a file that may not exist; returns whether it did.
    @discardableResult
    func removeFileIfPresent(_ path: String) throws(FileError) -> Bool {
        do {
            try removeFile(path)
            return true
        } catch  where error.isAbsence {
            return false
        }
    }
}

extension String {
    /// The path without its last component; `nil` at the top.
    var parentFolder: String? {
        guard let slash = lastIndex(of: "/"), slash > startIndex else { return nil }
        return String(self[..<slash])
    }
}
