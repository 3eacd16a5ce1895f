import CalotypeSupport

extension FileSystem {
    /// What the system knows of a path; `nil` where nothing can be there.
    func statusIfPresent(_ path: String) throws(FileError) -> FileStatus? {
        do {
            return try status(at: path)
        } catch  where error.leavesNothingThere {
            return nil
        }
    }

    /// Works with a folder open.
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

    /// Closes a descriptor whose use has already failed, or that has only been read from.
    ///
    /// The first error is the one worth telling; closing what was only read has nothing left to lose.
    func closeAfterFailure(_ file: FileDescriptor) {
        do {
            try close(file)
        } catch {
            return
        }
    }

    /// The first bytes of a file as text; `nil` where they are none.
    func text(of file: FileDescriptor, byteCountMax: Int) throws(FileError) -> String? {
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try unsafe read(file, into: buffer, at: 0) }
        }
        return String(validating: bytes.prefix(try result.get()), as: UTF8.self)
    }

    /// Removes a file that may be gone already; returns whether it was there.
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
