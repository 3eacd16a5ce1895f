import Calotype

@main struct BatchDownload {
    static func main() async throws {}
}
