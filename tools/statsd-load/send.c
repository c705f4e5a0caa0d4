/* Sends packets of StatsD to a port of this machine, at a rate: send PORT PACKETS_PER_SECOND SECONDS. Prints how many it has sent. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 32
#define SERIES 300

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  double rate = atof(arguments[2]);
  long total = (long)(rate * atof(arguments[3]));
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) return 1;

  static char text[BATCH][256];
  struct iovec part[BATCH];
  struct mmsghdr message[BATCH];
  memset(message, 0, sizeof message);
  for (int i = 0; i < BATCH; i++) {
    part[i].iov_base = text[i];
    message[i].msg_hdr.msg_iov = &part[i];
    message[i].msg_hdr.msg_iovlen = 1;
  }
  unsigned random = 1;
  long sent = 0;
  double start = now();
  while (sent < total) {
    int next = total - sent < BATCH ? (int)(total - sent) : BATCH;
    for (int i = 0; i < next; i++) {
      random = random * 1103515245 + 12345;
      part[i].iov_len = sprintf(text[i], "http.request.duration:%u.%02u|ms|#route:/api/v1/%u,method:GET,status:200",
                                (random >> 8) % 1000, (random >> 3) % 100, (random >> 16) % SERIES);
    }
    for (int done = 0; done < next;) {
      int taken = sendmmsg(fd, message + done, next - done, 0);
      if (taken < 0) return 1;
      done += taken;
    }
    sent += next;
    double early = sent / rate - (now() - start);
    if (early > 0.0002) usleep((useconds_t)(early * 1e6));
  }
  printf("%ld %.3f\n", sent, now() - start);
  return 0;
}
