// How long a test waits for what must come. Only one that fails waits as long: a machine at work on other things is slow,
// not wrong.
import { configure } from "@testing-library/react";

configure({ asyncUtilTimeout: 20_000 });
