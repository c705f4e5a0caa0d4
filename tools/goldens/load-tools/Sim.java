import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;

import io.gatling.javaapi.core.*;
import java.time.Duration;

/** The simulation whose logs lie here, run against a server on port 18999 that answers 2 % of the requests with 503. */
public class Sim extends Simulation {
  {
    ScenarioBuilder shop =
        scenario("Shöp Ω")
            .exec(http("a päge").get("/a"))
            .group("cart")
            .on(exec(http("b").get("/b"), http("gone Ω").get("http://127.0.0.1:1/")));
    setUp(shop.injectOpen(constantUsersPerSec(20).during(Duration.ofSeconds(4))))
        .protocols(http.baseUrl("http://127.0.0.1:18999"))
        .assertions(
            global().responseTime().max().lt(5000),
            details("cart", "b").failedRequests().count().is(0L));
  }
}
