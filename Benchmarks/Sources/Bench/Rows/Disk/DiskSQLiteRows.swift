import CalotypeCache
import Foundation
import GRDB

/// A database as a store of bytes: one table, a write-ahead log, no wait for the device at a commit.
///
/// It does not check what it reads, as the cache does.
extension DiskRows {
    static let sqliteRows = [4, 20, 100].flatMap { [sqliteRead($0), sqliteWrite($0)] }

    private static func sqliteRead(_ kilobytes: Int) -> Row {
        Row(
            "disk-sqlite-read-\(kilobytes)",
            "disk hit, \(kilobytes) kB, verified; read from SQLite through GRDB",
            in: .microseconds,
            .ratioAtMost(1)
        ) {
            let material = try await DiskMaterial(count: 500, byteCount: kilobytes * 1_000)
            try await material.fill()
            let database = try BlobDatabase(in: material.folder)
            for key in material.keys { try database.store(material.data, forKey: key) }
            let (cache, keys) = (material.cache, material.keys)
            return Contest(
                ours: { count in
                    for index in material.indices(count) { use(try await cache.blob(forKey: keys[index])) }
                },
                baseline: { count in
                    for index in material.indices(count) { use(try database.data(forKey: keys[index])) }
                }
            )
        }
    }

    private static func sqliteWrite(_ kilobytes: Int) -> Row {
        Row(
            "disk-sqlite-write-\(kilobytes)",
            "disk store, \(kilobytes) kB, one after the other; the same into SQLite through GRDB",
            in: .microseconds
        ) {
            let placeCount = turnCount * 200
            let material = try await DiskMaterial(count: placeCount, byteCount: kilobytes * 1_000)
            let database = try BlobDatabase(in: material.folder)
            let (places, theirPlaces) = (FreshPlaces(placeCount), FreshPlaces(placeCount))
            // The folders and the table are there.
            try await storeInTurn(material, places.next(200))
            return Contest(
                ours: Side(maxCount: 200) { try await storeInTurn(material, places.next($0)) },
                baseline: Side(maxCount: 200) { count in
                    for key in material.keys[try theirPlaces.next(count)] {
                        try database.store(material.data, forKey: key)
                    }
                }
            )
        }
    }
}

/// The usual code of a program that stores bytes in SQLite.
private final class BlobDatabase: Sendable {
    private let pool: DatabasePool

    init(in folder: DiskFolder) throws {
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        pool = try DatabasePool(path: folder.path + "/blobs.sqlite", configuration: configuration)
        try pool.write { database in
            try database.execute(sql: "CREATE TABLE blob (key TEXT PRIMARY KEY, data BLOB NOT NULL)")
        }
    }

    func data(forKey key: String) throws -> Data? {
        try pool.read { database in
            try Data.fetchOne(
                database.cachedStatement(sql: "SELECT data FROM blob WHERE key = ?"),
                arguments: [key]
            )
        }
    }

    func store(_ data: Data, forKey key: String) throws {
        try pool.write { database in
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO blob (key, data) VALUES (?, ?)")
                .execute(arguments: [key, data])
        }
    }
}
