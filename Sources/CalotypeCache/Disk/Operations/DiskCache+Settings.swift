import CalotypeSupport

/// The rules a directory keeps for itself; reading and writing them blocks.
extension DiskCache {
    private static let settingsByteCountMax = 4096

    /// What kept the directory from being opened fully; `nil` where all is well, and as long as nobody has
    /// waited for it to be opened.
    ///
    /// Such as a folder that cannot be written to, or settings that make no sense: the cache then goes on as
    /// far as it can.
    public var openingProblem: DiskCacheError? { front.withLock(\.openingError) }

    /// The settings in the directory; `nil` where there are none.
    ///
    /// - Throws: A call that failed, or which line of them makes no sense.
    func readSettings() throws(DiskCacheError) -> DiskSettings? {
        guard let text = try settingsText() else { return nil }
        do {
            return try DiskSettings(text: text)
        } catch {
            front.withLock { $0.statistics.maintenanceFailureCount += 1 }
            throw DiskCacheError(error, path: layout.settings)
        }
    }

    /// Writes settings into the directory, which is made where it is missing; what later versions have
    /// written beside them stays.
    func writeSettings(_ settings: DiskSettings) throws(DiskCacheError) {
        let old = try settingsText()
        var unknownLines: [String] = []
        if let old {
            do {
                if try DiskSettings(text: old) == settings { return }
                unknownLines = DiskSettings.unknownLines(in: old)
            } catch {
                // Damaged; these take their place.
            }
        }
        do {
            try folder.replaceFile(at: layout.settings, with: settings.text(keeping: unknownLines))
        } catch {
            throw DiskCacheError(error, path: layout.settings)
        }
    }

    /// What stands in the file; the empty text for what is none, which makes no sense either.
    private func settingsText() throws(DiskCacheError) -> String? {
        do throws(FileError) {
            let file: FileDescriptor
            do {
                file = try fileSystem.open(layout.settings, as: .read)
            } catch  where error.isAbsence {
                return nil
            }
            defer { fileSystem.closeAfterFailure(file) }
            return try fileSystem.text(of: file, byteCountMax: Self.settingsByteCountMax) ?? ""
        } catch {
            throw DiskCacheError(error, path: layout.settings)
        }
    }
}

extension DiskCacheError {
    /// Whether a directory with this problem can still be read from.
    var leavesReading: Bool { [.readOnly, .permissionDenied, .diskFull, .damagedSettings].contains(code) }
}
