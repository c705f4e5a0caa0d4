// Its law has more cases in the long run.
import './grpc-and-http.test.ts';
