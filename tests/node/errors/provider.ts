// The agent `trips` in TypeScript: see `errors_between_languages.rs`.
import type { TripsHandlers } from "./trips.js";

export const handlers: TripsHandlers = {
  book({ case: name }, context) {
    switch (name) {
      case "full":
        return context.fail("NO_SEATS", "too few seats", { free: 3 });
      case "closed":
        return context.fail("CLOSED", "closed at night");
      case "moved":
        return context.fail("MOVED", "it starts later", { day: "Monday" });
      case "lost":
        return context.fail("LOST", "the trip is lost");
      case "invalid":
        return context.fail("NO_SEATS", "too few seats", JSON.parse('{ "free": "secret" }'));
      default:
        return "booked";
    }
  },
};
