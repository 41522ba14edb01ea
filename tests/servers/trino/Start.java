/** Starts Trino's server, as io.trino.server.TrinoServer does, whose jar is in no repository. */
public final class Start {
    private Start() {}

    public static void main(String[] arguments) {
        new io.trino.server.Server().start(arguments[0]);
    }
}
