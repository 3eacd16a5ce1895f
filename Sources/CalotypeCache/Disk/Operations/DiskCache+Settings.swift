import CalotypeSupport

/// The settings file of a directory; reading and writing it blocks.
extension DiskCache {
    private static let maxSettingsByteCount = 4096

    /// The problem that prevented opening the directory fully; `nil` if there was none, or while the
    /// directory has not been opened.
    ///
    /// Examples are a folder that cannot be written to, or invalid settings; the cache then works as far as
    /// possible.
    public var openingError: DiskCacheError? { front.withLock(\.openingError) }

    /// Returns the settings in the directory; `nil` if the file does not exist.
    ///
    /// - Throws: A failed call, or the number of the invalid line.
    func readSettings() throws(DiskCacheError) -> DiskSettings? {
        guard let text = try settingsText() else { return nil }
        do {
            return try DiskSettings(text: text)
        } catch {
            front.withLock { $0.statistics.maintenanceFailureCount += 1 }
            throw DiskCacheError(error, path: layout.settings)
        }
    }

    /// Writes settings into the directory, which is created if missing; lines of later versions are
    /// preserved.
    func writeSettings(_ settings: DiskSettings) throws(DiskCacheError) {
        let old = try settingsText()
        var unknownLines: [String] = []
        if let old {
            do {
                if try DiskSettings(text: old) == settings { return }
                unknownLines = DiskSettings.unknownLines(in: old)
            } catch {
                // Damaged; replaced by these.
            }
        }
        do {
            try folder.replaceFile(at: layout.settings, with: settings.text(keeping: unknownLines))
        } catch {
            throw DiskCacheError(error, path: layout.settings)
        }
    }

    /// Returns the text of the file; empty if it is not valid UTF-8, which is invalid as settings too.
    private func settingsText() throws(DiskCacheError) -> String? {
        do throws(FileError) {
            let file: FileDescriptor
            do {
                file = try fileSystem.open(layout.settings, as: .read)
            } catch  where error.isAbsence {
                return nil
            }
            defer { fileSystem.closeAfterFailure(file) }
            return try fileSystem.text(of: file, maxByteCount: Self.maxSettingsByteCount) ?? ""
        } catch {
            throw DiskCacheError(error, path: layout.settings)
        }
    }
}

extension DiskCacheError {
    /// Whether a directory with this problem can still be read.
    var leavesReading: Bool { [.readOnly, .permissionDenied, .diskFull, .damagedSettings].contains(code) }
}
