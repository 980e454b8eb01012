"""Standard Korean pronunciation: conversion of spelling to sound."""
