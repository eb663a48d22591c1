import DaybookCommands

@main
enum Main {
    static func main() {}
}
