/// The disk cache, against the file calls it is made of and against a database.
enum DiskRows {
    static let all = readRows + writeRows + [trim] + millionRows + scaleRows + neighbourRows + sqliteRows
}
