// What has a static buffer races.
//
// expect races: UNSAFE

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <pthread.h>
#include <resolv.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static void mentioned(void)
{
    (void)gethostbyname2;
    (void)gethostent;
    (void)gethostbyname_r;
    (void)gethostbyname2_r;
    (void)gethostbyaddr_r;
    (void)getservbyport;
    (void)getservent;
    (void)getservbyport_r;
    (void)getservbyname_r;
    (void)getprotobynumber;
    (void)getprotoent;
    (void)getnetbyname;
    (void)sethostent;
    (void)endhostent;
    (void)setservent;
    (void)endservent;
    (void)setprotoent;
    (void)endprotoent;
    (void)herror;
    (void)inet_network;
    (void)inet_makeaddr;
    (void)inet_lnaof;
    (void)inet_netof;
    (void)if_indextoname;
    (void)if_nameindex;
    (void)if_freenameindex;
    (void)getifaddrs;
    (void)freeifaddrs;
    (void)sockatmark;
    (void)sendmmsg;
    (void)recvmmsg;
    (void)ether_ntoa_r;
    (void)ether_ntoa;
    (void)ether_aton_r;
    (void)ether_aton;
}

static void *work(void *unused)
{
    struct ether_addr address = { 0 };
    ether_ntoa(&address);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    (void)mentioned;
    return 0;
}
