#ifndef __TW_LINUX_VM_SOCKETS_H
#define __TW_LINUX_VM_SOCKETS_H
#include <linux/types.h>
struct sockaddr_vm {
    unsigned short svm_family;
    unsigned short svm_reserved1;
    unsigned int svm_port;
    unsigned int svm_cid;
    __u8 svm_flags;
    unsigned char svm_zero[3];
};
#define SO_VM_SOCKETS_BUFFER_SIZE 0
#define SO_VM_SOCKETS_BUFFER_MIN_SIZE 1
#define SO_VM_SOCKETS_BUFFER_MAX_SIZE 2
#define SO_VM_SOCKETS_PEER_HOST_VM_ID 3
#define SO_VM_SOCKETS_TRUSTED 5
#define SO_VM_SOCKETS_CONNECT_TIMEOUT_OLD 6
#define SO_VM_SOCKETS_NONBLOCK_TXRX 7
#define SO_VM_SOCKETS_CONNECT_TIMEOUT_NEW 8
#define SO_VM_SOCKETS_CONNECT_TIMEOUT 6
#define VMADDR_CID_ANY 4294967295U
#define VMADDR_PORT_ANY 4294967295U
#define VMADDR_CID_HYPERVISOR 0
#define VMADDR_CID_LOCAL 1
#define VMADDR_CID_HOST 2
#define VMADDR_FLAG_TO_HOST 0x1
#define VM_SOCKETS_INVALID_VERSION 4294967295U
#define SOL_VSOCK 287
#define VSOCK_RECVERR 1
#define IOCTL_VM_SOCKETS_GET_LOCAL_CID 0x7b9
#endif
